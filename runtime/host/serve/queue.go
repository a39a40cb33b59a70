package serve

// queue bounds how many requests compute or wait for their turn.
type queue struct {
	places chan struct{} // holds one for each such request
}

func newQueue(n int) *queue { return &queue{make(chan struct{}, n)} }

// enter takes a place, if there is one.
func (q *queue) enter() bool {
	select {
	case q.places <- struct{}{}:
		return true
	default:
		return false
	}
}

func (q *queue) leave() { <-q.places }
