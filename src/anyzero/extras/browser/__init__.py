"""Games and nets for other programs: ONNX, a single-file bot, C, WebAssembly."""
