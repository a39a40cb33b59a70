package mailbox

import (
	"sync"
	"testing"
)

// The notes of each goroutine run in order, each once, and a note may be posted again after it has run.
func TestMailbox(t *testing.T) {
	const posters, each = 4, 2000
	m := New()
	var last [posters]int
	done := 0
	var wg sync.WaitGroup
	for p := range posters {
		wg.Go(func() {
			free := make(chan struct{}, 1)
			x := 0
			n := &Note{}
			n.do = func() {
				if last[p] != x {
					t.Errorf("poster %d: %d after %d", p, x, last[p])
				}
				last[p]++
				done++
				x++
				free <- struct{}{}
			}
			for range each {
				m.Post(n)
				<-free
			}
		})
	}
	for done < posters*each {
		<-m.wake
		for m.Run() {
		}
	}
	wg.Wait()
	if m.Run() {
		t.Error("notes are left")
	}
}

// BenchmarkMailboxProducers posts from several goroutines at once, as readers of
// connections do.
func BenchmarkMailboxProducers(b *testing.B) {
	m := New()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-m.wake:
				m.Run()
			case <-stop:
				return
			}
		}
	}()
	b.SetParallelism(4)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		done := make(chan struct{}, 1)
		n := NewNote(func() { done <- struct{}{} })
		for pb.Next() {
			m.Post(n)
			<-done
		}
	})
	close(stop)
	<-stopped
}

// BenchmarkMailbox measures a message from its post to its run.
func BenchmarkMailbox(b *testing.B) {
	m := New()
	n := NewNote(func() {})
	b.ReportAllocs()
	for b.Loop() {
		m.Post(n)
		m.Run()
	}
}
