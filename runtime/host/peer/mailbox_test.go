package peer

import (
	"sync"
	"testing"
)

// The notes of each goroutine run in order, each once, and a note may be posted again after it has run.
func TestMailbox(t *testing.T) {
	const posters, each = 4, 2000
	m := newMailbox()
	var last [posters]int
	done := 0
	var wg sync.WaitGroup
	for p := range posters {
		wg.Go(func() {
			free := make(chan struct{}, 1)
			x := 0
			n := &note{}
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
				m.post(n)
				<-free
			}
		})
	}
	for done < posters*each {
		<-m.wake
		for m.run() {
		}
	}
	wg.Wait()
	if m.run() {
		t.Error("notes are left")
	}
}

// BenchmarkMailboxProducers posts from several goroutines at once, as readers of
// connections do.
func BenchmarkMailboxProducers(b *testing.B) {
	m := newMailbox()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-m.wake:
				m.run()
			case <-stop:
				return
			}
		}
	}()
	b.SetParallelism(4)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		done := make(chan struct{}, 1)
		n := &note{do: func() { done <- struct{}{} }}
		for pb.Next() {
			m.post(n)
			<-done
		}
	})
	close(stop)
	<-stopped
}

// BenchmarkMailbox measures a message from its post to its run.
func BenchmarkMailbox(b *testing.B) {
	m := newMailbox()
	n := &note{do: func() {}}
	b.ReportAllocs()
	for b.Loop() {
		m.post(n)
		m.run()
	}
}
