"""One module per kind of file: its columns, its writer, its reader and its checks together."""
