"""A tiny model with random weights of every masked language model that transformers has."""

from pathlib import Path

import tiny_models

_SIZES = {
    32: "hidden_size d_model dim emb_dim embedding_size input_embedding_size output_embedding_size "
    "pooler_hidden_size pronunciation_embed_dim shape_embed_dim d_latents prediction_head_size "
    "entity_emb_size prompt_mid_dim embedding_dim",
    64: "intermediate_size hidden_dim d_inner encoder_ffn_dim decoder_ffn_dim feed_forward_size",
    4: "num_attention_heads n_heads n_head encoder_attention_heads decoder_attention_heads "
    "num_key_value_heads num_self_attention_heads num_cross_attention_heads",
    2: "num_hidden_layers n_layers encoder_layers decoder_layers num_self_attends_per_block",
    8: "head_dim d_head attention_head_size embedding_rank num_latents shape_vocab_size sliding_window "
    "local_attention max_2d_position_embeddings",
}
_SMALL = {name: size for size, names in _SIZES.items() for name in names.split()}
_SMALL |= {"entity_vocab_size": 10, "attention_window": [4, 4]}
# What one architecture needs beside small sizes.
_OWN = {
    "big_bird": {"block_size": 4},
    "funnel": {"block_sizes": [1, 1]},
    "mobilebert": {"true_hidden_size": 32, "intra_bottleneck_size": 32},
    "neomme": {"head_dim": 16, "num_attention_heads": 2, "num_key_value_heads": 2},
    "nystromformer": {"num_landmarks": 64},
    "reformer": {
        "attn_layers": ["local", "lsh"],
        "axial_pos_embds_dim": [16, 16],
        "axial_pos_shape": [8, 8],
        "is_decoder": False,
        "local_attn_chunk_length": 8,
        "lsh_attn_chunk_length": 8,
        "num_buckets": 2,
    },
    "xmod": {"default_language": "ja_XX", "languages": ["ja_XX"]},
}
_PADDING, _START, _END = 1, 0, 2


def kinds():
    """The model types of transformers' masked language models."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

    return list(MODEL_FOR_MASKED_LM_MAPPING_NAMES)


def build(kind, folder: Path, positions: int) -> Path:
    """Write a model of this type, with RoBERTa's special tokens, to ``folder``."""
    import torch
    from transformers import AutoModelForMaskedLM

    tokenizer = tiny_models.unigram("xlm-roberta")
    torch.manual_seed(20261128)
    model = AutoModelForMaskedLM.from_config(_config(kind, tokenizer, positions)).eval()
    for weights in model.parameters():
        # Large enough for attention, padding and positions to count.
        if weights.dim() > 1:
            torch.nn.init.normal_(weights, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _config(kind, tokenizer, positions):
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    made = CONFIG_MAPPING[kind]
    default = made().to_dict()
    special = {"pad": _PADDING, "bos": _START, "eos": _END, "cls": _START, "sep": _END}
    special["mask"] = tokenizer.mask_token_id
    text = {"vocab_size": len(tokenizer), "max_position_embeddings": positions}
    text |= {f"{name}_token_id": number for name, number in special.items()}
    if "text_config" not in default:
        return made(**{**_small(default), **text, **_OWN.get(kind, {})})
    return made(
        text_config={**_small(default["text_config"]), **text},
        vision_config={**_small(default["vision_config"]), "image_size": 32, "patch_size": 8},
        image_token_id=len(tokenizer) - 2,
    )


def _small(default):
    small = {name: size for name, size in _SMALL.items() if name in default}
    if "model_type" in default:
        small["model_type"] = default["model_type"]
    if "layer_types" in default:
        small["layer_types"] = list(dict.fromkeys(default["layer_types"]))
    return small
