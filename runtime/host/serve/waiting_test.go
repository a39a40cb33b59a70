package serve

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestWaitsTooLong: a request that gets no turn within the timeout has taken too long, as one whose run does, alone and in a
// batch; none ends before its time. The server answers again when the session is free.
func TestWaitsTooLong(t *testing.T) {
	for _, rows := range []int{0, 8} {
		synctest.Test(t, func(t *testing.T) {
			var slow atomic.Bool
			slow.Store(true)
			p := adder(1, func() error {
				if slow.Load() {
					time.Sleep(3 * time.Minute)
				}
				return nil
			})
			h, err := newHandler(p, options{concurrency: 1, queue: 5, batch: rows, batchWait: time.Millisecond, maxRequest: 200, maxBodies: 1 << 20, timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			want := `{"error":"the request has not finished after 1m0s, its time in the queue included: start the server with a longer -timeout or a higher -concurrency"}` + "\n"
			var all sync.WaitGroup
			for i := range 4 {
				all.Go(func() {
					began := time.Now()
					w := call(h, request)
					if took := time.Since(began); w.Code != 504 || w.Body.String() != want || took != time.Minute {
						t.Errorf("batches of %d: request %d got %d %s after %v, want 504 %s", rows, i, w.Code, w.Body, took, want)
					}
				})
				time.Sleep(10 * time.Second)
			}
			all.Wait()
			slow.Store(false)
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			if w := call(h, request); w.Code != 200 {
				t.Errorf("batches of %d, later: got %d %s", rows, w.Code, w.Body)
			}
		})
	}
}

// TestGoneKeepTheirPlaces: requests of clients that have gone count in the limits as long as a batch or a run holds them.
// Otherwise clients that do not wait could make the server hold any number. What nobody waits for is not computed.
func TestGoneKeepTheirPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		p := adder(1, func() error { runs++; time.Sleep(time.Minute); return nil })
		h, err := newHandler(p, options{concurrency: 1, queue: 1, batch: 2, batchWait: time.Millisecond, maxRequest: 200, maxBodies: 1 << 20, timeout: 2 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		first := make(chan int)
		go func() { first <- call(h, request).Code }()
		time.Sleep(time.Second)
		for i, want := range []int{499, 499, 503} {
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			r := httptest.NewRequestWithContext(ctx, "POST", "/run", strings.NewReader(request))
			r.Header.Set("Content-Type", mimeJSON)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if leave(); w.Code != want {
				t.Errorf("client %d: got %d %s, want %d", i+1, w.Code, w.Body, want)
			}
		}
		if code := <-first; code != 200 {
			t.Errorf("the request before them: got %d", code)
		}
		synctest.Wait()
		if w := call(h, request); w.Code != 200 || runs != 2 {
			t.Errorf("the request after them: got %d %s after %d runs, want 2", w.Code, w.Body, runs)
		}
	})
}

// TestLateRunKeepsItsBody: the body of a request counts until its run ends, also if that takes too long.
func TestLateRunKeepsItsBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := adder(1, func() error { time.Sleep(2 * time.Minute); return nil })
		h, err := newHandler(p, options{concurrency: 1, queue: 5, maxRequest: 200, maxBodies: 300, timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if w := call(h, request); w.Code != 504 {
			t.Errorf("got %d %s, want 504", w.Code, w.Body)
		}
		if w := call(h, request); w.Code != 503 || !strings.Contains(w.Body.String(), "take all memory") {
			t.Errorf("while the run goes on: got %d %s, want that there is no memory", w.Code, w.Body)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if w := call(h, request); w.Code != 504 {
			t.Errorf("after it: got %d %s, want 504", w.Code, w.Body)
		}
		time.Sleep(2 * time.Minute)
	})
}

// TestClientGone: the request of a client that has gone does not wait for its turn, and counts as such. In a batch its row is
// computed with the others if the run has begun.
func TestClientGone(t *testing.T) {
	for _, rows := range []int{0, 8} {
		synctest.Test(t, func(t *testing.T) {
			p := adder(1, func() error { time.Sleep(time.Second); return nil })
			h, err := newHandler(p, options{concurrency: 1, queue: 5, batch: rows, batchWait: time.Millisecond, maxRequest: 200, maxBodies: 1 << 20, timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			first := make(chan int)
			go func() { first <- call(h, request).Code }()
			time.Sleep(time.Millisecond)
			ctx, leave := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, "POST", "/run", strings.NewReader(request))
			r.Header.Set("Content-Type", mimeJSON)
			gone := make(chan time.Duration)
			began := time.Now()
			go func() {
				h.ServeHTTP(httptest.NewRecorder(), r)
				gone <- time.Since(began)
			}()
			time.Sleep(100 * time.Millisecond)
			leave()
			if took := <-gone; took != 100*time.Millisecond {
				t.Errorf("batches of %d: the request ends after %v, want that of the client", rows, took)
			}
			if code := <-first; code != 200 {
				t.Errorf("batches of %d: the request before it: got %d", rows, code)
			}
			time.Sleep(time.Minute)
			if w := call(h, request); w.Code != 200 {
				t.Errorf("batches of %d: the request after it: got %d %s", rows, w.Code, w.Body)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
			if want := `code="499"} 1`; !strings.Contains(w.Body.String(), want) {
				t.Errorf("batches of %d: the metrics are\n%swant in them %s", rows, w.Body, want)
			}
		})
	}
}

// TestBatchOfOtherRows: a model that answers with another number of rows than it is asked about cannot be shared. That is an
// error for all, as nobody knows whose rows these are.
func TestBatchOfOtherRows(t *testing.T) {
	p, _ := giving(tensor.Of([]float32{1, 2}, 1, 2), adder(1, nil).Outputs[0])
	h, err := newHandler(p, options{concurrency: 1, queue: 5, batch: 8, batchWait: time.Millisecond, maxRequest: 200, maxBodies: 1 << 20, timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if w := call(h, `{"inputs":{"x":[[1,2],[3,4]]}}`); w.Code != 500 || !strings.Contains(w.Body.String(), "want 2 rows: start the server without -batch") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if w := call(h, request); w.Code != 200 {
		t.Errorf("one row: got %d %s", w.Code, w.Body)
	}
}

// TestBatchesOfOneShape: requests whose rows differ in another axis are not computed together.
func TestBatchesOfOneShape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs [][]int
		p := adder(1, nil)
		p.Inputs[0].Dims, p.Outputs[0].Dims = []string{"n", "m"}, []string{"n", "m"}
		p.Inputs[0].Type, p.Outputs[0].Type = "float32[n,m]", "float32[n,m]"
		p.New = func() (model.Session, error) {
			return &mirror{ran: func(shape []int) { runs = append(runs, shape) }}, nil
		}
		h, err := newHandler(p, options{concurrency: 1, queue: 9, batch: 8, batchWait: time.Millisecond, maxRequest: 200, maxBodies: 1 << 20, timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		codes := make(chan int)
		for _, row := range []string{"[1,2]", "[3,4]", "[1,2,3]", "[4,5,6]"} {
			go func() { codes <- call(h, `{"inputs":{"x":[`+row+`]}}`).Code }()
			synctest.Wait()
		}
		for range 4 {
			if code := <-codes; code != 200 {
				t.Errorf("got %d", code)
			}
		}
		if len(runs) != 2 || runs[0][0] != 2 || runs[0][1] != 2 || runs[1][0] != 2 || runs[1][1] != 3 {
			t.Errorf("the runs have inputs of %v, want two rows of two, and two of three", runs)
		}
	})
}

// mirror is a session whose output is its input.
type mirror struct {
	in  *tensor.Tensor
	ran func(shape []int)
}

func (m *mirror) SetInput(_ int, v tensor.Value) error {
	m.in = v.(*tensor.Tensor)
	return nil
}

func (m *mirror) Run() error {
	m.ran(m.in.Shape)
	return nil
}

func (m *mirror) Output(int) tensor.Value { return m.in }
