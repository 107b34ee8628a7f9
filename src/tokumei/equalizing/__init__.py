"""Groups of customers made identical: common rows, and which customers to put together."""
