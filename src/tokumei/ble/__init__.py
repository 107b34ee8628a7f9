"""What Bluetooth Low Energy devices give away: captures read, evaluated, linked and generated."""

from tokumei.ble.devices import Devices, read_devices
from tokumei.ble.generating import generate_capture
from tokumei.ble.linking import link
from tokumei.ble.observing import observe
from tokumei.ble.reading import read_blocks, read_capture
from tokumei.ble.tally import Tally
from tokumei.ble.writing import Packet, write_capture

__all__ = [
    "Devices",
    "Packet",
    "Tally",
    "generate_capture",
    "link",
    "observe",
    "read_blocks",
    "read_capture",
    "read_devices",
    "write_capture",
]
