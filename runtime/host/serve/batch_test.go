package serve

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// batching returns a server that computes up to rows rows at once, and records the number of rows of each run.
func batching(t *testing.T, rows int, each time.Duration, sizes *[]int) http.Handler {
	t.Helper()
	p := adder(1, nil)
	p.New = func() (model.Session, error) {
		s := &adding{}
		s.before = func() error {
			*sizes = append(*sizes, s.rows)
			time.Sleep(each)
			if slices.Contains(s.in[0], -1) {
				return errors.New("adder: a row is bad")
			}
			return nil
		}
		return s, nil
	}
	h, err := newHandler(p, options{concurrency: 1, queue: 100, batch: rows, batchWait: 10 * time.Millisecond, maxRequest: 200, maxBodies: 1 << 20, timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends a request of one row, and returns an error if the answer is wrong.
func ask(h http.Handler, x int) error {
	w := call(h, fmt.Sprintf(`{"inputs":{"x":[[%d,%d]]}}`, x, x+1))
	want := fmt.Sprintf(`{"outputs":{"sum":{"dtype":"float32","shape":[1,2],"data":[%d,%d]}}}`, x, x+1) + "\n"
	if w.Code != 200 || w.Body.String() != want {
		return fmt.Errorf("request %d: got %d %s", x, w.Code, w.Body)
	}
	return nil
}

// TestBatch: concurrent requests are one run, and each gets its rows; a single request waits no longer than the
// maximum time.
func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sizes []int
		h := batching(t, 8, 0, &sizes)
		errs := make(chan error)
		for i := range 20 {
			go func() { errs <- ask(h, i) }()
		}
		for range 20 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		slices.Sort(sizes)
		if want := []int{4, 8, 8}; !slices.Equal(sizes, want) {
			t.Errorf("20 requests were runs of %v rows, want %v", sizes, want)
		}
		began := time.Now()
		if err := ask(h, 1); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 10*time.Millisecond {
			t.Errorf("one request alone took %v, want the 10ms that it waits for others", took)
		}
	})
}

// TestBatchBusy: while a session is busy, a batch grows until it is full.
func TestBatchBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sizes []int
		h := batching(t, 8, time.Second, &sizes)
		errs := make(chan error)
		for i := range 8 {
			go func() { errs <- ask(h, i) }()
			time.Sleep(20 * time.Millisecond)
		}
		for range 8 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if want := []int{1, 7}; !slices.Equal(sizes, want) {
			t.Errorf("got runs of %v rows, want %v", sizes, want)
		}
	})
}

// TestBatchFailure: a failing request does not affect the others of its batch.
func TestBatchFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sizes []int
		h := batching(t, 8, 0, &sizes)
		errs := make(chan error)
		for i := range 3 {
			go func() { errs <- ask(h, i) }()
		}
		bad := make(chan string)
		go func() {
			w := call(h, `{"inputs":{"x":[[-1,0]]}}`)
			bad <- fmt.Sprint(w.Code, " ", w.Body)
		}()
		for range 3 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if got, want := <-bad, `400 {"error":"adder: a row is bad"}`+"\n"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// TestBatchLarge: a request with more rows than a batch is computed separately.
func TestBatchLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sizes []int
		h := batching(t, 2, 0, &sizes)
		if w := call(h, `{"inputs":{"x":[[1,2],[3,4],[5,6]]}}`); w.Code != 200 || !strings.Contains(w.Body.String(), "[1,2,3,4,5,6]") {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
}

func TestCheckBatchable(t *testing.T) {
	vector := func(dims ...string) model.Port {
		return model.Port{Name: "x" + dims[0], Type: "float32[" + strings.Join(dims, ",") + "]", Elem: tensor.Float32, Dims: dims}
	}
	for _, tt := range []struct {
		in, out model.Port
		want    string
	}{
		{vector("n", "2"), vector("n", "3"), ""},
		{vector("1", "2"), vector("n", "3"), `"x1" is float32[1,2], want a tensor whose first dimension is free: generate the model without --bind for it`},
		{vector("n", "2"), vector("m", "3"), `the first dimension of "xm" is m, and that of "xn" is n, want the same for all inputs and outputs`},
		{vector("n", "2"), vector("n", "2*n"), `"xn" is float32[n,2*n], want n as the first dimension alone`},
		{vector("n", "channels"), vector("n", "n_heads", "heads.n", "2*width-n2+1"), ""},
		{vector("n", "2"), vector("n", "channels*n+1"), `"xn" is float32[n,channels*n+1], want n as the first dimension alone`},
		{vector("n", "2"), vector("n", "width+floor((n+1)/2)"), `"xn" is float32[n,width+floor((n+1)/2)], want n as the first dimension alone`},
		{model.Port{Name: "s", Type: "sequence(float32)"}, vector("n"), `"s" is sequence(float32), want a tensor whose first dimension is free: generate the model without --bind for it`},
	} {
		err := checkBatchable(model.Program{Inputs: []model.Port{tt.in}, Outputs: []model.Port{tt.out}})
		if got := fmt.Sprint(err); got != tt.want && (err != nil || tt.want != "") {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// TestStack: tensors of any type are stacked, and split again.
func TestStack(t *testing.T) {
	for _, d := range []tensor.DType{tensor.Float32, tensor.Int64, tensor.Bool, tensor.String, tensor.Int4, tensor.Complex128} {
		a, b := tensor.New(d, 2, 3), tensor.New(d, 1, 3)
		if d == tensor.String {
			tensor.Data[string](a)[4] = "x"
		} else {
			a.Bytes()[a.DType.Size()*4] = 1
		}
		all := stack([]*tensor.Tensor{b, a, b})
		if !slices.Equal(all.Shape, []int{4, 3}) || !tensor.Equal(rowsOf(all, 1, 2), a) || !tensor.Equal(rowsOf(all, 3, 1), b) || rowsOf(all, 4, 0).Len() != 0 {
			t.Errorf("%v: got %v", d, all)
		}
	}
}
