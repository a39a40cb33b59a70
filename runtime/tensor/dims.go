package tensor

// FloorDiv is a / b rounded down.
func FloorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// Mod is what [FloorDiv] leaves.
func Mod(a, b int) int { return a - b*FloorDiv(a, b) }

// BroadcastDim is the size that sizes a and b broadcast to.
func BroadcastDim(a, b int) int {
	if a == 1 {
		return b
	}
	return a
}
