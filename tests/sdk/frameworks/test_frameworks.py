"""Frameworks that call the SDKs: LangChain, Pydantic AI and the OpenAI Agents SDK."""

import asyncio

import agents
import openai
import pytest
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider


@pytest.fixture(params=["chat", "responses", "messages"])
def langchain(request, proxy):
    """LangChain's class for an interface; it takes the name of a model."""
    if request.param == "messages":
        return lambda model: ChatAnthropic(model=model, base_url=proxy, api_key="sk-fake", max_retries=0)
    is_responses = request.param == "responses"
    return lambda model: ChatOpenAI(
        model=model, base_url=f"{proxy}/v1", api_key="sk-fake", max_retries=0, use_responses_api=is_responses
    )


@tool
def run(command: str, timeout: float) -> str:
    """Runs a command."""
    return f"ran: {command}"


def test_langchain_gets_text_batch_and_streamed(langchain, values):
    assert langchain("echo").invoke(values.text).text == values.text
    assert "".join(chunk.text for chunk in langchain("echo/3").stream(values.text)) == values.text


def test_langchain_calls_a_tool(langchain, values):
    model = langchain("tools").bind_tools([run])
    messages = [HumanMessage(values.text)]
    asked = model.invoke(messages)
    [call] = asked.tool_calls
    assert call["args"]["command"] == values.text
    answer = model.invoke([*messages, asked, run.invoke(call)])
    assert answer.text == f"ran: {values.text}"
    first, *rest = langchain("tools/3").bind_tools([run]).stream(messages)
    assert sum(rest, first).tool_calls[0]["args"]["command"] == values.text


@pytest.fixture(params=["chat", "responses", "messages"])
def pydantic_model(request, proxy):
    if request.param == "messages":
        return AnthropicModel("tools/3", provider=AnthropicProvider(base_url=proxy, api_key="sk-fake"))
    provider = OpenAIProvider(base_url=f"{proxy}/v1", api_key="sk-fake")
    kind = OpenAIChatModel if request.param == "chat" else OpenAIResponsesModel
    return kind("tools/3", provider=provider)


def test_pydantic_ai_calls_a_tool(pydantic_model, values):
    agent = Agent(pydantic_model)
    commands = []

    @agent.tool_plain(name="run")
    def run_command(command: str, timeout: float) -> str:
        commands.append(command)
        return f"ran: {command}"

    async def both():
        whole = (await agent.run(values.text)).output
        async with agent.run_stream(values.text) as stream:
            return whole, await stream.get_output()

    assert asyncio.run(both()) == (f"ran: {values.text}",) * 2
    assert commands == [values.text] * 2


@pytest.mark.parametrize("kind", [agents.OpenAIChatCompletionsModel, agents.OpenAIResponsesModel])
def test_openai_agents_call_a_tool(kind, proxy, values):
    commands = []

    @agents.function_tool(name_override="run")
    def run_command(command: str, timeout: float) -> str:
        """Runs a command."""
        commands.append(command)
        return f"ran: {command}"

    async def both():
        async with openai.AsyncOpenAI(base_url=f"{proxy}/v1", api_key="sk-fake", max_retries=0) as client:
            agent = agents.Agent(name="agent", model=kind("tools/3", client), tools=[run_command])
            whole = await agents.Runner.run(agent, values.text)
            stream = agents.Runner.run_streamed(agent, values.text)
            async for _ in stream.stream_events():
                pass
            return whole.final_output, stream.final_output

    assert asyncio.run(both()) == (f"ran: {values.text}",) * 2
    assert commands == [values.text] * 2
