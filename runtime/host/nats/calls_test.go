package nats

import "testing"

// The latest call is accepted first, the oldest is refused if there are too many, and each has a token until it is taken.
func TestCalls(t *testing.T) {
	s := newCalls()
	if s.pop() != nil {
		t.Error("a call before any has come")
	}
	for number := range uint64(maxCalls) {
		if refused := s.push(&conn{number: number}); refused != nil {
			t.Fatalf("call %d: %d is refused", number, refused.number)
		}
	}
	if refused := s.push(&conn{number: maxCalls}); refused == nil || refused.number != 0 {
		t.Errorf("one call too many: %v is refused, want the oldest", refused)
	}
	for want := uint64(maxCalls); want > 0; want-- {
		select {
		case <-s.some:
		default:
			t.Fatalf("no token for call %d", want)
		}
		if c := s.pop(); c == nil || c.number != want {
			t.Fatalf("got %v, want call %d", c, want)
		}
	}
	if len(s.some) > 0 || s.pop() != nil {
		t.Error("a call is left")
	}
}
