package server

import (
	"runtime"
	"sync"
	"testing"
)

// Memory that is given back while a session ends, as by a download of another server, is given back once.
func TestGiveWhileClosing(t *testing.T) {
	for range 5000 {
		all := &account{whose: "the server", limit: 64}
		a := &account{whose: "the session", above: all, limit: 64}
		if err := a.Take(64); err != nil {
			t.Fatal(err)
		}
		var other sync.WaitGroup
		other.Go(func() {
			for range 63 {
				a.Give(1)
			}
		})
		for a.inUse() == 64 {
			runtime.Gosched()
		}
		a.close()
		other.Wait()
		if n := all.inUse(); n != 0 {
			t.Fatalf("%d bytes are in use after the end", n)
		}
	}
}
