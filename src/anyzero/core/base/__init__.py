"""What every room uses: errors, files, seeds, schemas, records, processes, stopping, display."""
