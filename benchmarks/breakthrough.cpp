// Random games of Breakthrough, the same algorithm as src/anyzero/games/breakthrough.py, as a yardstick for compiled Python.
// Usage: breakthrough ROWS COLUMNS GAMES; prints games per second and the first side's mean payoff.
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#ifdef __BMI2__
#include <immintrin.h>
#endif

using Word = std::uint64_t;

struct Stream {
    Word low, high;

    Word next() {
        const Word total = low + high, word = std::rotl(total, 17) + low;
        high ^= low;
        low = std::rotl(low, 49) ^ high ^ (high << 21);
        high = std::rotl(high, 28);
        return word;
    }

    Word below(Word count) { return ((next() >> 32) * count) >> 32; }
};

static Word scramble(Word word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

static Stream seeded(Word seed, Word number) {
    const Word word = scramble(seed + 0x9E3779B97F4A7C15u) + number * 0xD1342543DE82EF95u;
    return {scramble(word + 0x9E3779B97F4A7C15u), scramble(word + 0x3C6EF372FE94F82Au) | 1};
}

static Word nth_bit(Word word, Word index) {
#ifdef __BMI2__
    return _pdep_u64(Word(1) << index, word);
#else
    while (index--) word &= word - 1;
    return word & -word;
#endif
}

struct Rules {
    Word columns, not_left, not_right, top, bottom;
};

static Word random_step(const Rules& rules, Word straight, Word left, Word right, Stream& rng, Word& distance) {
    const Word first_left = std::popcount(straight), first_right = first_left + std::popcount(left);
    const Word index = rng.below(first_right + std::popcount(right));
    if (index >= first_right) {
        distance = rules.columns + 1;
        return nth_bit(right, index - first_right);
    }
    if (index >= first_left) {
        distance = rules.columns - 1;
        return nth_bit(left, index - first_left);
    }
    distance = rules.columns;
    return nth_bit(straight, index);
}

// The payoff of the first side.
static int random_game(const Rules& rules, Word white, Word black, Stream& rng) {
    const Word columns = rules.columns;
    while (true) {
        Word distance;
        const Word white_free = ~(white | black);
        Word target = random_step(rules, (white << columns) & white_free, ((white & rules.not_left) << (columns - 1)) & ~white,
                                  ((white & rules.not_right) << (columns + 1)) & ~white, rng, distance);
        white ^= target | (target >> distance);
        black &= ~target;
        if (white & rules.top || black == 0) return 1;
        const Word black_free = ~(white | black);
        target = random_step(rules, (black >> columns) & black_free, ((black & rules.not_right) >> (columns - 1)) & ~black,
                             ((black & rules.not_left) >> (columns + 1)) & ~black, rng, distance);
        black ^= target | (target << distance);
        white &= ~target;
        if (black & rules.bottom || white == 0) return -1;
    }
}

int main(int, char** arguments) {
    const int rows = std::atoi(arguments[1]), columns = std::atoi(arguments[2]);
    const long games = std::atol(arguments[3]);
    Word every = 0, left = 0, right = 0;
    for (int row = 0; row < rows; row++) {
        left |= Word(1) << (row * columns);
        right |= Word(1) << (row * columns + columns - 1);
    }
    for (int cell = 0; cell < rows * columns; cell++) every |= Word(1) << cell;
    const Word row = (Word(1) << columns) - 1, home = row | row << columns;
    const Rules rules{Word(columns), every ^ left, every ^ right, row << ((rows - 1) * columns), row};
    long sum = 0;
    const auto start = std::chrono::steady_clock::now();
    for (long game = 0; game < games; game++) {
        Stream rng = seeded(0, game);
        sum += random_game(rules, home, home << ((rows - 2) * columns), rng);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%.1f %.9f\n", games / took.count(), double(sum) / games);
}
