package serve

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// queued returns a server with one session, a queue of 15 requests, and runs of one second.
func queued(t *testing.T) http.Handler {
	t.Helper()
	h, err := newHandler(adder(1, func() error { time.Sleep(time.Second); return nil }), options{concurrency: 1, queue: 15, maxRequest: 200, maxBodies: 1 << 20, timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestQueue: 16 clients that send requests repeatedly are all answered, and the 17th is refused.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := queued(t)
		codes := make(chan int, 64)
		for range 16 {
			go func() {
				for range 3 {
					codes <- call(h, request).Code
				}
			}()
		}
		synctest.Wait()
		if w := call(h, request); w.Code != 503 || w.Header().Get("Retry-After") != "1" {
			t.Errorf("the 17th: got %d, Retry-After %q, want 503, 1", w.Code, w.Header().Get("Retry-After"))
		}
		for range 48 {
			if code := <-codes; code != 200 {
				t.Errorf("one of 16: got %d", code)
			}
		}
	})
}

// TestQueueOrder: requests are answered in the order of their arrival.
func TestQueueOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := queued(t)
		answered := make(chan int, 16)
		for i := range 16 {
			go func() {
				call(h, request)
				answered <- i
			}()
			synctest.Wait()
		}
		for i := range 16 {
			if got := <-answered; got != i {
				t.Errorf("answer %d is for request %d", i, got)
			}
		}
	})
}
