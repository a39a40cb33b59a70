package tensor

// FloorDiv is a / b rounded down.
func FloorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// Mod is the remainder of [FloorDiv].
func Mod(a, b int) int { return a - b*FloorDiv(a, b) }

// BroadcastDim returns the size to which sizes a and b broadcast.
func BroadcastDim(a, b int) int {
	if a == 1 {
		return b
	}
	return a
}
