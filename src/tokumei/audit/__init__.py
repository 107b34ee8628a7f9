"""The audit: whether a release is safe, against whom, and what it is still good for."""

from tokumei.audit.auditing import Audit, audit
from tokumei.audit.recommending import Recommendation, recommend

__all__ = ["Audit", "Recommendation", "audit", "recommend"]
