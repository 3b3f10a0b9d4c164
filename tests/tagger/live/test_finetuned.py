"""Architecture `finetuned`: the MLM trained end to end, its folder, and prediction with it."""

import csv
import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tiny_models
import torch
import torch.nn.functional as F  # noqa: N812
from tiny_corpora import row

from zarpipe.cli import main
from zarpipe.config import FinetuningConfig, MlmConfig, TaggerConfig, TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import CORPUS_SCHEMA, read_corpus, read_instances
from zarpipe.formats.probabilities import read_probabilities
from zarpipe.formats.variant import write_variant
from zarpipe.job_folders import KEY_LENGTH, making
from zarpipe.mlm.loading import load_tokenizer
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.live.model import build
from zarpipe.tagger.live.model_folder import load_for_training
from zarpipe.tagger.live.states import LiveStates
from zarpipe.tagger.loop import gradients, initial_state
from zarpipe.tagger.mixture import mixed
from zarpipe.tagger.weights import read_tagger
from zarpipe.task.cases import LABELS

TAGGER = TaggerConfig(architecture="finetuned", output_bias=True)


def write_corpus(path, sentences, seed):
    """Sentences whose tokens tell the labels: a noun before が is NOM, before を is ACC."""
    random = np.random.default_rng(seed)
    rows = []
    for number in range(sentences):
        nouns = random.choice(["東京都", "学生", "社員", "書類", "荷物"], 2).tolist()
        verbs = random.choice(["食べた", "運んだ"], 2).tolist()
        tokens = [nouns[0], "が", nouns[1], "を", verbs[0], "、", verbs[1], "。"]
        predicates = {4: [("NOM", 0), ("ACC", 2)], 6: [("NOM", 0)]}
        rows.append(row(f"d-{number}", tokens, predicates, doc_id=f"d{number // 4}"))
    pq.write_table(pa.Table.from_pylist(rows, CORPUS_SCHEMA), path)


def write_masks(path, corpus):
    """A variant that masks the first token of every instance."""
    instances = read_instances(corpus)
    sent_ids = read_corpus(corpus, ["sent_id"])["sent_id"].to_pylist()
    number = len(instances)
    write_variant(
        path,
        [sent_ids[row] for row in instances.sentence],
        instances.predicate,
        np.arange(number + 1),
        np.zeros(number, np.int64),
        file_digest(corpus),
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """An MLM of each kind that is needed, two splits, and a variant."""
    folder = tmp_path_factory.mktemp("live")
    write_corpus(folder / "train.parquet", 12, 1)
    write_corpus(folder / "dev.parquet", 6, 2)
    write_masks(folder / "masks.parquet", folder / "train.parquet")
    tiny_models.build("bert-ja", folder / "mlm")
    return folder


def read_split(corpus, mlm, batch_tokens=4096, variants=(), predicate_flags="all"):
    """Instances, what the MLM reads of them, and the copies of each draw."""
    finetuning = FinetuningConfig(batch_tokens=batch_tokens)
    return LiveStates.read_split(corpus, mlm, MlmConfig(), finetuning, "training", variants, predicate_flags)


def without_dropout(model):
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return model


def arguments(files, output, *more):
    return [
        "train",
        *("--architecture", "finetuned", "--mlm", str(files / "mlm"), "--output", str(output)),
        *("--corpus", str(files / "train.parquet"), "--dev-corpus", str(files / "dev.parquet")),
        *("--batch-size", "4", "--finetuning-learning-rate", "0.003"),
        *("--threads", "1", "--seed", "1", *more),
    ]


def bytes_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def trained(files, tmp_path_factory):
    output = tmp_path_factory.mktemp("taggers") / "masking"
    more = ["--variant", str(files / "masks.parquet"), "--epochs", "12", "--patience", "20"]
    assert main(arguments(files, output, *more)) == 0
    return output


class PlainTagger(torch.nn.Module):
    """What anyone would write with transformers, one sentence at a time."""

    def __init__(self, folder, tagger):
        super().__init__()
        from transformers import AutoModel

        self.encoder = AutoModel.from_pretrained(folder, add_pooling_layer=False)
        self.tokenizer = load_tokenizer(MlmConfig(path=str(folder)))
        self.flags = torch.nn.Parameter(tagger.flags.weight.detach().clone())
        self.output = torch.nn.Linear(self.encoder.config.hidden_size, LABELS)
        self.output.load_state_dict(tagger.output.state_dict())

    def forward(self, tokens, target, predicates):
        ids, first = [self.tokenizer.cls_token_id], []
        for token in tokens:
            first.append(len(ids))
            words = self.tokenizer.subword_tokenizer.tokenize(token)
            ids += self.tokenizer.convert_tokens_to_ids(words)
        ids.append(self.tokenizer.sep_token_id)
        embedded = self.encoder.embeddings.word_embeddings(torch.tensor([ids]))
        added = torch.zeros_like(embedded)
        added[0, first[target]] += self.flags[:, 0]
        for predicate in predicates:
            added[0, first[predicate]] += self.flags[:, 1]
        hidden = self.encoder(inputs_embeds=embedded + added).last_hidden_state[0, first]
        return F.log_softmax(self.output(hidden), dim=1)


@pytest.mark.parametrize("batch_tokens", [64, 4096])
def test_the_first_step_is_that_of_a_plain_loop(files, batch_tokens):
    """Same loss, same gradients, same weights after Adam; also where gradients add up over parts."""
    mlm = load_for_training(MlmConfig(path=str(files / "mlm")))
    instances, train, _ = read_split(files / "train.parquet", mlm, batch_tokens)
    chosen = np.array([0, 1, 5, 8, 14, 23])
    model = without_dropout(build(TAGGER, mlm, 3, "float32"))
    plain = without_dropout(PlainTagger(files / "mlm", model)).train()
    training = TrainingConfig(learning_rate=0.01)
    state = initial_state(model.train(), training)
    loss = gradients(state, train, chosen)
    assert len(list(train.parts(chosen))) == (2 if batch_tokens == 64 else 1)

    rows = read_corpus(files / "train.parquet").to_pylist()
    optimizer = torch.optim.Adam(plain.parameters(), lr=0.01, betas=(0.9, 0.98), eps=1e-8)
    total = torch.zeros(())
    for instance in chosen:
        row = rows[instances.sentence[instance]]
        predicates = [predicate["token"] for predicate in row["predicates"]]
        predicted = plain(row["tokens"], int(instances.predicate[instance]), predicates)
        start, end = instances.offsets[instance : instance + 2]
        labels = torch.from_numpy(instances.labels[start:end].astype(np.int64))
        total = total + F.nll_loss(predicted, labels)  # the mean over the instance's tokens
    total.backward()

    assert loss == pytest.approx(total.item(), rel=1e-5)
    ours, theirs = dict(model.named_parameters()), dict(plain.named_parameters())
    theirs["flags.weight"] = theirs.pop("flags")
    assert ours.keys() == theirs.keys()
    for name, parameter in ours.items():
        torch.testing.assert_close(parameter.grad, theirs[name].grad, rtol=1e-3, atol=1e-5, msg=name)
    assert ours["flags.weight"].grad.abs().min() > 0
    assert ours["encoder.embeddings.word_embeddings.weight"].grad.abs().max() > 0
    state.optimizer.step()
    optimizer.step()
    for name, parameter in ours.items():
        # Adam's first step is the gradient's sign, which rounding decides where the gradient is next to nothing.
        clear = theirs[name].grad.abs() > 1e-4
        torch.testing.assert_close(parameter[clear], theirs[name][clear], rtol=1e-3, atol=1e-4, msg=name)


def test_it_learns_what_the_tokens_tell(trained):
    rows = list(csv.DictReader((trained / "history.csv").open(encoding="utf-8")))
    assert float(rows[-1]["loss"]) < 0.3 * float(rows[0]["loss"])
    assert float(rows[-1]["best_dev_f1"]) > 0.5
    assert float(rows[0]["learning_rate"]) == 0.003


def test_copies_are_what_the_variant_says(files):
    mlm = load_for_training(MlmConfig(path=str(files / "mlm")))
    variants = [files / "masks.parquet"] * 2  # two draws, as from two files
    instances, originals, draws = read_split(files / "train.parquet", mlm, 4096, variants, "target")
    train = mixed(originals, draws, Mixture()).encoded
    number = len(instances)
    assert len(train) == 3 * number
    (original,) = train.parts(np.array([3]))
    (copy,) = train.parts(np.array([number + 3]))
    (other,) = train.parts(np.array([2 * number + 3]))
    assert torch.equal(copy.ids, other.ids)
    first = len(mlm.subwords.prefix)
    assert copy.ids[0, first] == mlm.subwords.mask_id
    # The masked token 東京都, 学生, ... was one word or several subwords; what follows is as it was.
    shared = original.rows[2] - original.rows[1]
    assert copy.rows[2] - copy.rows[1] == shared
    assert (copy.labels == original.labels).all()
    assert original.flags.sum(dim=(0, 1)).tolist() == [1, 2]
    assert copy.flags.sum(dim=(0, 1)).tolist() == [1, 1]
    target = int(instances.predicate[3])
    assert copy.flags[0, copy.rows[target]].tolist() == [1, 1]


def test_dropped_tokens_are_zero_for_the_output(files):
    mlm = load_for_training(MlmConfig(path=str(files / "mlm")))
    instances, originals, _ = read_split(files / "train.parquet", mlm)
    train = mixed(originals, [], Mixture(perturb={"use": "drop", "probability": 0.999999})).perturbed(1, 1)
    assert len(train) == 2 * len(instances)
    (original,) = train.parts(np.array([3]))
    (copy,) = train.parts(np.array([len(instances) + 3]))
    assert not original.zeroed.any()
    kept = torch.arange(8) == int(instances.predicate[3])
    assert torch.equal(copy.zeroed, ~kept)
    model = build(TAGGER, mlm, 1, "float32").eval()
    biased = F.log_softmax(model.output.bias, dim=0)
    torch.testing.assert_close(model(copy)[~kept], biased.expand(7, -1))
    torch.testing.assert_close(model(copy)[kept], model(original)[kept])


def test_long_sentences_are_read_in_windows_and_every_token_once(files, tmp_path, caplog):
    tiny_models.build("bert-ja", tmp_path / "short", positions=8)
    tokenizer = json.loads((tmp_path / "short/tokenizer_config.json").read_text(encoding="utf-8"))
    (tmp_path / "short/tokenizer_config.json").write_text(json.dumps({**tokenizer, "model_max_length": 8}))
    mlm = load_for_training(MlmConfig(path=str(tmp_path / "short")))
    with caplog.at_level("INFO"):
        instances, train, _ = read_split(files / "train.parquet", mlm, 64)
    assert "24 of 24 instances have more subwords than the model reads at once" in caplog.text
    chosen = np.arange(5)
    index = torch.cat([part.flat_index for part in train.parts(chosen)])
    tokens = int(instances.offsets[5])
    assert sorted(index.tolist()) == list(range(tokens))
    for part in train.parts(chosen):
        assert part.ids.shape[1] <= 8
        assert (part.labels == torch.from_numpy(instances.labels[part.flat_index.numpy()])).all()


def test_transformers_loads_the_folder(files, trained):
    """The weights of the best epoch, in float32, with the tokenizer of the MLM, readable as any file."""
    from transformers import AutoModel, AutoTokenizer

    model, report = AutoModel.from_pretrained(trained / "mlm", output_loading_info=True)
    assert not report["unexpected_keys"]
    assert all("pooler" in key for key in report["missing_keys"])
    before = AutoModel.from_pretrained(files / "mlm")
    moved = model.embeddings.word_embeddings.weight - before.embeddings.word_embeddings.weight
    assert moved.abs().max() > 0.001
    text = "学生が荷物を運んだ。"
    tokenizers = [AutoTokenizer.from_pretrained(folder) for folder in (trained / "mlm", files / "mlm")]
    assert tokenizers[0](text) == tokenizers[1](text)
    weights = trained / "mlm/model.safetensors"
    assert weights.stat().st_mode == (trained / "tagger.safetensors").stat().st_mode


def test_predictions_are_those_of_the_best_epoch(files, trained, tmp_path):
    output = tmp_path / "dev.parquet"
    given = ["--corpus", str(files / "dev.parquet"), "--batch-size", "4", "--threads", "1"]
    assert main(["predict", "--tagger", str(trained), *given, "--output", str(output)]) == 0
    from zarpipe.evaluate.evaluation import read_gold, score_file

    rows = list(csv.DictReader((trained / "history.csv").open(encoding="utf-8")))
    scored = score_file(output, read_gold(files / "dev.parquet"))["ALL"]["ALL"]["f1"]
    assert scored == pytest.approx(float(rows[-1]["best_dev_f1"]))
    values = read_probabilities(output.with_suffix(".probabilities.h5")).values
    np.testing.assert_allclose(values.sum(axis=1), 1, atol=1e-5)


def test_an_interrupted_training_goes_on_to_the_same_files(files, tmp_path, interrupted):
    """With dropout, whose draws follow from seed and epoch."""
    more = ["--epochs", "6", "--patience", "2"]
    assert main(arguments(files, tmp_path / "whole", *more)) == 0
    assert interrupted(arguments(files, tmp_path / "parts", *more)) == 7
    assert bytes_of(tmp_path / "parts") == bytes_of(tmp_path / "whole")


def test_seeds_and_dropout_matter(files, tmp_path):
    for seed in ("1", "2"):
        more = ["--seed", seed, "--epochs", "1", "--fraction", "0.5"]
        assert main(arguments(files, tmp_path / "taggers" / f"seed{seed}", *more)) == 0
    one, other = (bytes_of(tmp_path / "taggers" / f"seed{seed}") for seed in (1, 2))
    assert one.keys() == other.keys()
    assert all(one[path] != other[path] for path in one if path.suffix == ".safetensors")


def test_a_tagger_is_replaced_with_its_model(files, tmp_path):
    for epochs in ("1", "2"):
        assert main(arguments(files, tmp_path / "taggers", "--epochs", epochs)) == 0
    assert main(arguments(files, tmp_path / "fresh", "--epochs", "2")) == 0
    assert bytes_of(tmp_path / "taggers") == bytes_of(tmp_path / "fresh")


def test_bfloat16_is_said_in_the_file_and_used_again(files, tmp_path):
    more = ["--epochs", "3", "--finetuning-compute-dtype", "bfloat16"]
    assert main(arguments(files, tmp_path / "taggers", *more)) == 0
    tagger = read_tagger(tmp_path / "taggers")
    assert tagger.model.dtype == torch.bfloat16
    assert {parameter.dtype for parameter in tagger.model.parameters()} == {torch.float32}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (["--features", "train.h5"], "the architecture finetuned reads no feature files; leave them out"),
        (["--variant-features", "v.h5"], "augmented copies: --variant"),
        (["--perturb", "{use: cut, over: dimensions, share: 0.1}"], "--perturb: found 'cut'"),
        (["--variant", "masks.parquet", "--consistency", "1"], "--consistency: found 1.0"),
        (["--architecture", "bigru"], "--features, --dev-features: found nothing; the architecture bigru"),
        (["--architecture", "linear", "--features", "a", "--dev-features", "b"], "--mlm, --variant: "),
        (["--finetuning-warm-up", "-1"], "--finetuning-warm-up: found '-1'"),
        (["--mlm", "nowhere/at/all"], "mlm.path: found 'nowhere/at/all', which is no folder"),
    ],
)
def test_what_does_not_fit_is_one_line(files, tmp_path, capsys, more, expected):
    assert main(arguments(files, tmp_path / "out", *more)) == 1
    message = capsys.readouterr().err
    assert expected in message
    assert "Traceback" not in message
    assert not (tmp_path / "out").exists()


def test_a_variant_of_another_corpus_is_refused(files, tmp_path, capsys):
    write_masks(tmp_path / "other.parquet", files / "dev.parquet")
    given = arguments(files, tmp_path / "out", "--variant", str(tmp_path / "other.parquet"))
    assert main(given) == 1
    assert "this variant was made from another corpus" in capsys.readouterr().err


def test_a_tagger_without_its_model_is_refused(files, trained, tmp_path, capsys):
    shutil.copytree(trained, tmp_path / "seed1")
    weights = tmp_path / "seed1/mlm/model.safetensors"
    weights.unlink()
    given = ["--corpus", str(files / "dev.parquet"), "--output", str(tmp_path / "dev.parquet")]
    assert main(["predict", "--tagger", str(tmp_path / "seed1"), *given]) == 1
    assert f"{weights}: no such file" in capsys.readouterr().err
    assert not (tmp_path / "dev.parquet").exists()


def test_a_model_changed_in_a_jobs_folder_is_refused(trained, tmp_path):
    key = "0" * KEY_LENGTH
    folder = tmp_path / f"finetune/a@{key}"
    with making(folder, {"rule": "finetune", "name": "a", "key": key}) as work:
        shutil.copytree(trained, work, dirs_exist_ok=True)
    read_tagger(folder)
    weights = folder / "mlm/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"1234")
    with pytest.raises(ZarpipeError, match=r"model\.safetensors: its bytes are not those"):
        read_tagger(folder)


def test_a_model_that_takes_no_embeddings_is_refused(files, monkeypatch):
    mlm = load_for_training(MlmConfig(path=str(files / "mlm")))
    encoder = mlm.model.base_model
    forward = encoder.forward

    def ids_only(input_ids=None, attention_mask=None, inputs_embeds=None):
        if inputs_embeds is not None:
            raise TypeError("inputs_embeds")
        return forward(input_ids=input_ids, attention_mask=attention_mask)

    monkeypatch.setattr(encoder, "forward", ids_only)
    with pytest.raises(ZarpipeError, match=r"mlm: found TypeError when it is given embeddings; expected"):
        build(TAGGER, mlm, 1, "float32")
    shifted = lambda input_ids=None, attention_mask=None, inputs_embeds=None: forward(  # noqa: E731
        input_ids=input_ids,
        attention_mask=attention_mask,
        inputs_embeds=None if inputs_embeds is None else inputs_embeds.roll(1, -1),
    )
    monkeypatch.setattr(encoder, "forward", shifted)
    with pytest.raises(ZarpipeError, match="other hidden states for embeddings than for ids"):
        build(TAGGER, mlm, 1, "float32")


@pytest.mark.parametrize("kind", ["xlm-roberta", "modernbert", "deberta"])
def test_models_of_other_kinds_take_the_flags(kind, files, tmp_path):
    tiny_models.build(kind, tmp_path / kind)
    mlm = load_for_training(MlmConfig(path=str(tmp_path / kind)))
    _, train, _ = read_split(files / "train.parquet", mlm)
    state = initial_state(build(TAGGER, mlm, 1, "float32").train(), TrainingConfig())
    assert np.isfinite(gradients(state, train, np.arange(6)))
    assert state.model.flags.weight.grad.abs().min() > 0
