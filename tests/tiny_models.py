"""Tiny random masked language models with a tokenizer of each kind, made in the tests' temporary folders."""

from pathlib import Path

WORDS = [
    "東京都",
    "東京",
    "学生",
    "食べ",
    "運ん",
    "社員",
    "書類",
    "荷物",
    "店員",
    "編集",
    "原稿",
    "葛城",
    "山川",
]
CHARACTERS = list(
    "東京都の学生がを食べた運んだで。、葛城は人々ゝゞ〃かきくけこーｱ株(){}[]①1234567890abcdefghijklmnopqrstuvwxyz"
    "ABCDEMSKUN~〜カガバハヴてでザサ編集者原稿山川削待午後夜係員名詞社書類荷物店静爆Ⅳ㎝−＼"
)
BERT_SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
KINDS = ("bert-ja", "bert-ja-char", "bert-fast", "modernbert", "xlm-roberta", "deberta")


def build(kind, folder: Path, positions: int = 512) -> Path:
    """Write a model of this kind to ``folder``; the same weights and vocabulary every time."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = _tokenizer(kind, folder)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(20261127)
    model = _model(kind, max(len(tokenizer), tokenizer.vocab_size), positions)
    if kind == "overflow":
        _overflow_at(model, tokenizer.convert_tokens_to_ids("爆"))
    model.eval().save_pretrained(folder)
    return folder


def _tokenizer(kind, folder):
    if kind in ("bert-ja", "bert-ja-char", "overflow"):
        return _bert_japanese(folder, "character" if kind == "bert-ja-char" else "wordpiece")
    return {"bert-fast": _wordpiece, "modernbert": _byte_bpe}.get(kind, unigram)(kind)


def _wordpiece_vocabulary():
    pieces = ["##都", "##生", "##た", "##んだ", *CHARACTERS, *("##" + one for one in CHARACTERS)]
    return list(dict.fromkeys([*BERT_SPECIALS, *WORDS, *pieces]))


def _bert_japanese(folder, subwords):
    from transformers import BertJapaneseTokenizer

    (folder / "vocab.txt").write_text("\n".join(_wordpiece_vocabulary()) + "\n", encoding="utf-8")
    return BertJapaneseTokenizer(
        str(folder / "vocab.txt"),
        word_tokenizer_type="mecab",
        subword_tokenizer_type=subwords,
        do_lower_case=False,
        mecab_kwargs={"mecab_dic": "unidic_lite"},
    )


def _wordpiece(_kind):
    """As multilingual uncased BERT: lower-cases, strips accents (and with them dakuten), splits at punctuation."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    vocabulary = {word: number for number, word in enumerate(_wordpiece_vocabulary())}
    model = models.WordPiece(vocabulary, unk_token=BERT_SPECIALS[1], max_input_chars_per_word=100)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return _fast(tokenizer, BERT_SPECIALS)


def _byte_bpe(_kind):
    """As ModernBERT: bytes, no normalisation, a mask token that takes the blank before it."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        min_frequency=2,
        show_progress=False,
        special_tokens=BERT_SPECIALS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator([" ".join(WORDS), "".join(CHARACTERS)] * 3, trainer)
    return _fast(tokenizer, BERT_SPECIALS, AddedToken("[MASK]", lstrip=True, special=True))


def unigram(kind):
    """As XLM-R and Japanese DeBERTa: NFKC, a word-boundary mark before each word, a unigram model."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    roberta = kind == "xlm-roberta"
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    specials = specials if roberta else ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    pieces = ["▁", "▁東京", "▁学生", *WORDS, *(one for one in CHARACTERS if one not in "①ｱⅣ㎝")]
    vocabulary = [(one, 0.0) for one in specials]
    vocabulary += [(one, -float(number)) for number, one in enumerate(dict.fromkeys(pieces), 1)]
    vocabulary += [("<mask>", 0.0)] if roberta else []
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Strip(), normalizers.Replace("\u3000", " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    if roberta:
        return _fast(tokenizer, ["<pad>", "<unk>", "<s>", "</s>", "<mask>"])
    return _fast(tokenizer, BERT_SPECIALS)


def _fast(tokenizer, specials, mask=None):
    from tokenizers import processors
    from transformers import PreTrainedTokenizerFast

    padding, unknown, start, end, own_mask = specials
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}", special_tokens=[(one, tokenizer.token_to_id(one)) for one in (start, end)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token=unknown,
        pad_token=padding,
        cls_token=start,
        sep_token=end,
        mask_token=mask or own_mask,
    )


def _model(kind, vocabulary, positions):
    import transformers

    sizes = {**SIZES, "vocab_size": vocabulary, "initializer_range": 0.5}
    if kind == "modernbert":
        special = {
            "pad_token_id": 0,
            "cls_token_id": 2,
            "sep_token_id": 3,
            "bos_token_id": 2,
            "eos_token_id": 3,
        }
        config = transformers.ModernBertConfig(**sizes, **special, max_position_embeddings=positions)
        return transformers.ModernBertForMaskedLM(config)
    if kind == "xlm-roberta":
        config = transformers.XLMRobertaConfig(**sizes, pad_token_id=1, max_position_embeddings=positions + 2)
        return transformers.XLMRobertaForMaskedLM(config)
    if kind == "deberta":
        relative = {"relative_attention": True, "position_buckets": 16, "pos_att_type": ["p2c", "c2p"]}
        config = transformers.DebertaV2Config(
            **sizes, **relative, pad_token_id=0, max_position_embeddings=positions
        )
        return transformers.DebertaV2ForMaskedLM(config)
    config = transformers.BertConfig(**sizes, max_position_embeddings=positions, pad_token_id=0)
    return transformers.BertForMaskedLM(config)


def _overflow_at(model, identifier):
    """Let every token end at about 20,000 and one above float16's largest number."""
    import torch

    with torch.no_grad():
        embeddings = model.bert.embeddings
        embeddings.position_embeddings.weight.zero_()
        embeddings.token_type_embeddings.weight.zero_()
        words = embeddings.word_embeddings.weight
        words.copy_(torch.randint(0, 2, words.shape).float() * 2 - 1)
        words[identifier] = torch.eye(32)[0] * 31
        for layer in model.bert.encoder.layer:
            for linear in (layer.attention.output.dense, layer.output.dense):
                linear.weight.zero_()
                linear.bias.zero_()
        model.bert.encoder.layer[-1].output.LayerNorm.weight.fill_(2e4)
