package serve

// queue limits how many requests compute or wait for their turn.
type queue struct {
	places chan struct{} // holds an element for each such request
}

func newQueue(n int) *queue { return &queue{make(chan struct{}, n)} }

// enter takes a place, if one is free.
func (q *queue) enter() bool {
	select {
	case q.places <- struct{}{}:
		return true
	default:
		return false
	}
}

func (q *queue) leave() { <-q.places }
