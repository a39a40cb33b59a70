package pipeline

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestMessagesInPieces reads messages one behind the other, from a stream that gives a byte at a time; no beginning of one is a message.
func TestMessagesInPieces(t *testing.T) {
	var stream bytes.Buffer
	var want []message
	for k := hello; k <= end; k++ {
		parts := [][]byte{bytes.Repeat([]byte{byte(k)}, int(k)), nil, []byte("end")}
		if err := writeMessage(&stream, k, parts...); err != nil {
			t.Fatal(err)
		}
		want = append(want, message{k, bytes.Join(parts, nil)})
	}
	all := stream.Bytes()
	r := io.MultiReader(slices.Collect(func(yield func(io.Reader) bool) {
		for i := range all {
			if !yield(bytes.NewReader(all[i : i+1])) {
				return
			}
		}
	})...)
	for _, m := range want {
		got, err := readMessage(r)
		if err != nil || got.kind != m.kind || !bytes.Equal(got.body, m.body) {
			t.Errorf("got %v %q, %v, want %v %q", got.kind, got.body, err, m.kind, m.body)
		}
	}
	if _, err := readMessage(r); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last message: %v", err)
	}
	first := all[:5+len(want[0].body)]
	for n := range len(first) {
		if m, err := readMessage(bytes.NewReader(first[:n])); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes: %v, %v", n, len(first), m, err)
		}
	}
}

// TestMessageSizes: a size of none or of more than the limit is refused, and an announced size takes no memory before its bytes are there.
func TestMessageSizes(t *testing.T) {
	for size, want := range map[uint32]string{
		0: "its size is 0", 1 << 31: "its size is 2147483648", math.MaxUint32: "its size is 4294967295", math.MaxInt32: io.EOF.Error(), 2: io.EOF.Error(),
	} {
		head := append(binary.LittleEndian.AppendUint32(nil, size), byte(forward))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readMessage(bytes.NewReader(head))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.HasSuffix(err.Error(), want) || errors.Is(err, errMessage) == (want == io.EOF.Error()) {
			t.Errorf("size %d: %v, want %s", size, err, want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("size %d: %d bytes are allocated", size, took)
		}
	}
	if m, err := readMessage(bytes.NewReader([]byte{1, 0, 0, 0, byte(fetch)})); err != nil || m.kind != fetch || len(m.body) != 0 {
		t.Errorf("an empty message: %v, %v", m, err)
	}
	for after := range 3 { // the head, and two parts
		w := &failsAfter{n: after}
		if err := writeMessage(w, forward, []byte("a"), []byte("b")); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("a stream that ends after %d writes: %v", after, err)
		}
	}
}

// failsAfter is a writer that fails after n writes.
type failsAfter struct{ n int }

func (w *failsAfter) Write(b []byte) (int, error) {
	if w.n--; w.n < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

// TestDamagedValues changes each byte of a message's values, and cuts it off at each: it is refused, or gives values of the ports.
func TestDamagedValues(t *testing.T) {
	good := body(tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3), tensor.Of([]bool{true, false}, 2))
	for n := range len(good) {
		if list, err := decode(good[:n], ports); !errors.Is(err, errMessage) {
			t.Errorf("%d of %d bytes: %v, %v", n, len(good), list, err)
		}
	}
	for i := range good {
		for v := range 256 {
			b := bytes.Clone(good)
			b[i] = byte(v)
			list, err := decode(b, ports)
			if err != nil && !errors.Is(err, errMessage) {
				t.Errorf("byte %d is %d: %v", i, v, err)
			}
			if err == nil && (list[0].Shape[1] != 3 || slices.Max(list[1].Bytes()) > 1 || !bytes.Equal(body(list...), b)) {
				t.Errorf("byte %d is %d: values %v", i, v, list)
			}
		}
	}
}

// TestSizes: the parts of a batch differ by one example at most, and are all of it.
func TestSizes(t *testing.T) {
	for n := 1; n <= 40; n++ {
		for micros := 1; micros <= 45; micros++ {
			list, sum := sizes(n, micros), 0
			for _, k := range list {
				sum += k
			}
			if len(list) != min(n, micros) || sum != n || slices.Min(list) < 1 || slices.Max(list)-slices.Min(list) > 1 {
				t.Errorf("%d examples in %d parts: %v", n, micros, list)
			}
		}
	}
}

// TestRowsAndJoin divides tensors of many shapes and types, and joins the parts.
func TestRowsAndJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range []tensor.DType{tensor.Bool, tensor.Uint8, tensor.Float16, tensor.Float32, tensor.Int64, tensor.Complex128} {
		for range 20 {
			n, each := 1+r.IntN(9), r.IntN(3) // examples, and rows of each
			x := tensor.New(d, n*each, 1+r.IntN(3))
			for i := range x.Bytes() {
				x.Bytes()[i] = byte(r.IntN(2))
			}
			from := 0
			var parts []*tensor.Tensor
			for _, k := range sizes(n, 1+r.IntN(n)) {
				p, err := rows(x, from, from+k, n)
				if err != nil || p.Shape[0] != k*each {
					t.Fatalf("examples %d to %d of %v: %v, %v", from, from+k, x, p, err)
				}
				from, parts = from+k, append(parts, p)
			}
			if got := join(parts); !tensor.Equal(got, x) {
				t.Errorf("%v is joined as %v", x, got)
			}
		}
	}
	one, two := tensor.Of([]float32{1}), tensor.Of([]float32{2})
	if got := join([]*tensor.Tensor{one, two}); got != two {
		t.Errorf("values without an axis are joined as %v, want the last", got)
	}
	for _, c := range []struct {
		x *tensor.Tensor
		n int
	}{{one, 1}, {tensor.New(tensor.Float32, 5), 2}, {tensor.New(tensor.Float32, 5), 0}} {
		want := fmt.Sprintf("a value of shape %v for %d examples cannot be divided into micro-batches: want the examples on the first axis", c.x.Shape, c.n)
		if _, err := rows(c.x, 0, 1, c.n); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// weight is a variable of floats.
func weight(name string, size int) variable {
	return variable{Name: name, Kind: model.Weight, DType: tensor.Float32, Shape: []int{size}}
}

// TestSharedWeights: gradients of a weight that several stages have are added, and its norm is that of the sum.
func TestSharedWeights(t *testing.T) {
	steps := variable{Name: "step", Kind: model.Private, DType: tensor.Int64}
	s := newSharedWeights(&wholeState{stages: [][]variable{
		{steps, weight("a", 2), weight("both", 2)}, {weight("b", 1), steps}, {weight("both", 2), weight("c", 3), steps},
	}})
	if got := fmt.Sprint(s.numbers, s.weights); got != "[[1] [] [0]] [[a both] [b] [both c]]" {
		t.Errorf("shared are %s", got)
	}
	gradients := func(norms []float64, shared ...float32) []byte {
		return append(floats(norms...), tensor.Of(shared, len(shared)).Bytes()...)
	}
	for step := range 3 { // each step is new
		s.reset()
		for k, b := range [][]byte{gradients([]float64{1, 99}, 1, float32(step)), gradients([]float64{2}), gradients([]float64{99, 3}, 2, 4)} {
			if err := s.add(k, b); err != nil {
				t.Fatal(err)
			}
		}
		both := math.Sqrt(9 + (float64(step)+4)*(float64(step)+4))
		if got, want := s.norms(), []float64{1, both, 2, 3}; !slices.Equal(got, want) {
			t.Errorf("step %d: norms %v, want %v", step, got, want)
		}
		want := tensor.Of([]float32{3, float32(step) + 4}, 2).Bytes()
		if one, other := bytes.Join(s.bytes(0), nil), bytes.Join(s.bytes(2), nil); !bytes.Equal(one, want) || !bytes.Equal(other, want) || len(s.bytes(1)) > 0 {
			t.Errorf("step %d: sums %v and %v, want %v", step, one, other, want)
		}
	}
	good := gradients([]float64{1, 2}, 1, 2)
	for n := range len(good) + 2 {
		if n == len(good) {
			continue
		}
		want := fmt.Sprintf("%v: norms and gradients of %d bytes, want 24", errMessage, n)
		if err := s.add(0, make([]byte, n)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestWholeState: the state of all stages has each variable once, takes the values of each stage, and gives them back.
func TestWholeState(t *testing.T) {
	w := &wholeState{}
	for _, list := range [][]variable{{weight("a", 2), weight("both", 1)}, {weight("b", 1)}} {
		if err := w.add(list, 12); err != nil {
			t.Fatal(err)
		}
	}
	own := []model.Variable{{Name: "both", Value: tensor.Of([]float32{7}, 1)}, {Name: "c", Value: tensor.Of([]float32{8}, 1)}}
	w.addOwn(own)
	var names []string
	for _, v := range w.list() {
		names = append(names, v.Name)
	}
	if got := strings.Join(names, " "); got != "a both b c" {
		t.Errorf("variables %s", got)
	}
	values := func(list ...float32) []byte { return tensor.Of(list, len(list)).Bytes() }
	for k, b := range [][]byte{values(1, 2, 3), values(4)} {
		if err := w.set(k, b); err != nil || !bytes.Equal(bytes.Join(w.bytes(k), nil), b) {
			t.Errorf("stage %d: %v, %v", k, w.bytes(k), err)
		}
		if err := w.set(k, append(b, 0)); !errors.Is(err, errMessage) {
			t.Errorf("stage %d takes a byte more: %v", k, err)
		}
	}
	if w.copyOwn(); own[0].Value.Data.([]float32)[0] != 3 || own[1].Value.Data.([]float32)[0] != 8 {
		t.Errorf("the last stage has %v and %v, want the 3 of the first one, and its own 8", own[0].Value.Data, own[1].Value.Data)
	}
	if err := w.add([]variable{weight("d", 2), weight("e", 2)}, 15); err == nil || err.Error() != errMessage.Error()+": its state is larger than 15 bytes" {
		t.Errorf("two variables of 8 bytes: %v", err)
	}
}
