"""The pictures that README and documentation show, taken of what the program really makes."""
