package nats

// How much of a stream may be on its way. The broker holds it for a peer that is slow, and
// ends the connection of one for which it holds too much (64 MiB, unless its max_pending
// says otherwise): all streams of a peer together stay below that.
const (
	largestWindow  = 512 << 10
	smallestWindow = 16 << 10
	allWindows     = 32 << 20
)

// window is that of one more stream beside so many.
func window(others int) int {
	return max(smallestWindow, min(largestWindow, allWindows/(others+1)))
}

// largestPart is how much of a stream one message has, where the broker takes as much.
const largestPart = 64 << 10
