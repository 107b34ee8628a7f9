"""The server of one contest."""

from __future__ import annotations

import pkgutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from pathlib import Path

from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles

import tokumei
from tokumei.contest.opening import Contest
from tokumei.contest.server import api, live, pages
from tokumei.contest.server.guarding import Guard
from tokumei.contest.server.hub import Hub
from tokumei.contest.server.problems import ANSWERS, handle_problems
from tokumei.contest.server.ticking import ticking as ticker

STATIC = Path(__file__).parent / "static"


def make_app(contest: Contest, *, ticking: bool = True) -> FastAPI:
    """Make the server of a contest; without ticking, time does nothing by itself."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            await running.enter_async_context(app.state.hub.running())
            if ticking:
                await running.enter_async_context(ticker(contest))
            yield

    app = FastAPI(
        title=f"tokumei: {contest.settings.title['en']}",
        version=tokumei.__version__,
        openapi_url="/api/openapi.json",
        # The usual pages of the API load their scripts from other hosts.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        generate_unique_id_function=_operation,
        responses=ANSWERS,
    )
    app.state.contest = contest
    app.state.hub = Hub(contest)
    app.add_middleware(Guard)
    handle_problems(app)
    for module in pkgutil.iter_modules(api.__path__, f"{api.__name__}."):
        app.include_router(import_module(module.name).router)
    app.include_router(live.router)
    app.include_router(pages.router)
    # The palette is that of the reports.
    app.mount("/static", StaticFiles(directory=STATIC, packages=[("tokumei.report", "static")]))
    return app


def _operation(route: APIRoute) -> str:
    """Name an operation by its function, as programs made from the document will call it."""
    first, *others = route.name.split("_")
    return first + "".join(part.capitalize() for part in others)
