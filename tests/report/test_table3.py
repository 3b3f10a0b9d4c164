"""Table 3 says what was run."""


def test_values_come_from_the_configuration(made, read_csv):
    made.configure(
        mlm={"path": "some/model"},
        training={"seeds": [1, 2], "beta2": 0.5},
        tagger={"layers": 4},
        encoding={"layers": [9, 10], "pooling": "mean"},
        report={"published": True},
    )
    output = made.report("table3")
    values = {row["parameter"]: row["value"] for row in read_csv(output)}
    assert values["RNN cell"] == "Bi-GRU, k = 4"
    assert values["Optimizer"] == "Adam (β1 = 0.9, β2 = 0.5, ε = 1e-08)"
    assert values["MLM"] == "some/model"
    assert values["Seeds"] == "1 2"
    assert (values["MLM layers"], values["Subwords of a token"]) == ("9+10", "mean")
    assert (
        values["Learning rate schedule"] == "times 0.5 after 4 epochs without a better dev F1, at least 5e-05"
    )
    assert read_csv(output)[0]["published_value"] == "Bi-GRU, k = 10"
    assert r"$\beta$1 = 0.9" in output.with_suffix(".tex").read_text(encoding="utf-8")
