"""Section `mlm`: the frozen masked language model."""

from __future__ import annotations

from zarpipe.config.values import Name, Section


class MlmConfig(Section):
    """The frozen masked language model."""

    path: Name | None = None
    """Hub name or folder of a Hugging Face masked language model. null: the small one that comes with
    zarpipe, for its small corpus."""
    revision: Name | None = None
    """Revision of a hub model; null takes the default branch."""
    trust_remote_code: bool = False
    """Run Python code that comes with the model. Off unless you trust its authors."""
    allow_pickle: bool = False
    """Load weights from pickle files when the model has no safetensors. Off unless you trust its authors."""

    def at(self, path: str | None) -> MlmConfig:
        """Return the same settings for the model of a hub name or folder."""
        return self.model_copy(update={"path": path})
