"""Outside of a study: taggers in a bundle, texts analysed with it, sentences exported and shown."""
