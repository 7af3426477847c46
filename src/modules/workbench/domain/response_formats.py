"""The formats in which a model answers the workbench; a new format is one more class here, and nothing else.

A text is kept to the character: code keeps its indentation, and a code fence inside a string stays where the model
put it. Taken is only what can be read in one way. A string where a list is due is refused, since it may be one item,
several, or a word for none; so is null. Keys beyond the fields are ignored.

Source: specification "unified JSON response formats"; it describes the keys of the first three formats itself.
"""

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field
from pydantic_core import PydanticCustomError

_WRITTEN_OUT = {"true": True, "false": False}


def _only_true_or_false(value: object) -> object:
    """Take `"true"` and `"false"` as text; refuse the `1`, `"on"` and `"yes"` that Pydantic would read as well."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _WRITTEN_OUT:
        return _WRITTEN_OUT[value.lower()]
    problem = PydanticCustomError("true_or_false", "Input should be true or false")
    raise problem


Flag: TypeAlias = Annotated[bool, BeforeValidator(_only_true_or_false)]
"""True or false, and nothing that stands for them."""


class CodeResponse(BaseModel):
    """Python code that does a task: loading, preparing or analysing data, or fixing an earlier script."""

    thought: str = Field(description="Step-by-step reasoning for the proposed solution.")
    code: str = Field(description="The complete, single-file Python script.")


class ReportResponse(BaseModel):
    """A report for a reader."""

    thought: str = Field(description="Reasoning for the report structure and content.")
    report_content: str = Field(description="The full markdown content of the report.")


class ChatResponse(BaseModel):
    """An answer in a conversation."""

    thought: str = Field(description="Step-by-step reasoning for the response.")
    response: str = Field(description="The text response to the user.")
    code: str | None = Field(default=None, description="Optional Python code if the response includes code.")


class ChatSummary(BaseModel):
    """What has to be remembered of a conversation that no longer fits the context."""

    current_task_state: list[str] = Field(
        description="Where the task stands: one fact, result or open step per item; may be empty."
    )
    user_specific_requirements: list[str] = Field(
        description="What the user asked for or ruled out, one requirement per item; may be empty."
    )


class TaskBlueprint(BaseModel):
    """The plan of a machine learning task, for the user to approve before any code is written."""

    modality: str = Field(description='Kind of data, such as "tabular", "image", "text" or "time series".')
    task_type: str = Field(description='Kind of task, such as "binary classification" or "regression".')
    target_column_or_label: str = Field(description="Name of the column or label to predict, as it is in the data.")
    splitting_strategy: str = Field(
        description="How data is divided into training, validation and test parts, and what keeps them apart."
    )
    feature_engineering_plan: list[str] = Field(
        description="The steps from raw data to features, in order; may be empty."
    )
    output_layout: dict[str, str] = Field(description="Path of each file to be written, and what is in it.")
    justification: str = Field(description="Why this plan fits the data and the user's wish.")


class BlueprintApproval(BaseModel):
    """What the user's answer to a blueprint means."""

    is_approved: Flag = Field(description="true only if the user accepts the plan as it is, else false.")
    feedback_summary: str = Field(description="What the user wants changed, in short; empty if nothing.")


class DebugSummary(BaseModel):
    """What earlier attempts to make code run have taught."""

    concise_summary: str = Field(description="What was tried and how it ended, in a few sentences.")
    mistakes_identified: list[str] = Field(description="What went wrong, one mistake per item; may be empty.")
    next_step_recommendation: str = Field(description="What to try next, and why.")


class ExplorationAction(BaseModel):
    """One step in exploring a data set: code to run, or the end of it."""

    thought: str = Field(description="What is known so far, and what this step is to find out.")
    code: str = Field(
        description="Python code to run next, without a code fence around it; empty if nothing is left to run."
    )
    is_done: Flag = Field(description="true if enough is known and the exploration ends, else false.")


class IntentResponse(BaseModel):
    """What the user wants to happen next."""

    action: str = Field(description="Name of the action to take, exactly as the list of actions gives it.")
    reason: str = Field(description="Why the user's message means this action.")


class FileLoadingInfo(BaseModel):
    """How one file is to be read."""

    file_path: str = Field(description="Path of the file, as it was given.")
    file_type: str = Field(description='Format of the file, such as "csv" or "parquet".')
    suggested_parameters: dict[str, Any] = Field(
        description="Arguments for the function that reads it, by name; empty if the defaults will do."
    )
    data_structure: str = Field(description="What a row, a column or a record of the file is.")
    critical_insights: str = Field(description="What goes wrong or is misread if one does not know it.")


class DataLoadingGuide(BaseModel):
    """How a data set is to be read."""

    files: list[FileLoadingInfo] = Field(description="The files of the data set, one entry each; may be empty.")
    overall_insights: str = Field(description="What holds for all files, and how they belong together.")
    loading_example: str = Field(description="Python code that reads the data set, without a code fence around it.")
