"""What augmentation and encoding share: the frozen masked language model, its tokenizer and its batches."""
