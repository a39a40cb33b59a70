package pipeline

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestPlaceRefuses gives lists of peers that do not say where the stages are.
func TestPlaceRefuses(t *testing.T) {
	m := newScales(2, 0)
	c := newCluster(t, 2)
	key, err := peer.ReadKey(c.keys[1])
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(list []peer.Member) []peer.Member{
		"the list has 1 peers, the model 2 stages":        func(l []peer.Member) []peer.Member { return l[:1] },
		"as worker 0 with 1 addresses":                    func(l []peer.Member) []peer.Member { l[0].Class = "worker"; return l },
		"as stage 2 with 1 addresses":                     func(l []peer.Member) []peer.Member { l[0].Rank = 2; return l },
		"as stage -1 with 1 addresses":                    func(l []peer.Member) []peer.Member { l[0].Rank = -1; return l },
		"as stage 1 with 1 addresses":                     func(l []peer.Member) []peer.Member { l[0].Rank = 1; return l },
		"as stage 0 with 0 addresses":                     func(l []peer.Member) []peer.Member { l[0].Addresses = nil; return l },
		"no peer of the list has this key, whose id is ":  func(l []peer.Member) []peer.Member { l[1].ID = l[0].ID; return l },
		"the list has 3 peers, the model 2 stages: want ": func(l []peer.Member) []peer.Member { return append(l, l[0]) },
	} {
		list := change(append([]peer.Member(nil), c.members...))
		if _, err := newPlace(&m.Model, key, list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if p, err := newPlace(&m.Model, key, c.members); err != nil || p.number != 1 || p.listen != c.members[1].Addresses[0] {
		t.Errorf("got %+v, %v, want stage 1", p, err)
	}
}

// TestConnectCancelled ends a stage while it waits for the others: for one that it dials, and for one that dials it.
func TestConnectCancelled(t *testing.T) {
	places := newPlaces(t, newScales(2, 0))
	for k, want := range []string{"context canceled", "stage 0 cannot be reached"} {
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error)
		go func() {
			_, _, err := places[k].connect(ctx)
			result <- err
		}()
		time.AfterFunc(10*time.Millisecond, cancel)
		if err := <-result; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("stage %d: got %v, want %q", k, err, want)
		}
	}
}

// TestWrongKey lets another peer listen where a stage should be: it is not called again, as that does not change.
func TestWrongKey(t *testing.T) {
	m := newScales(2, 0)
	places, others := newPlaces(t, m), newPlaces(t, m)
	others[0].listen = places[0].listen
	go func() {
		if _, x, err := others[0].connect(t.Context()); err == nil {
			x.Close()
		}
	}()
	if _, _, err := places[1].connect(t.Context()); err == nil || !strings.Contains(err.Error(), "stage 0: ") {
		t.Errorf("got %v, want that stage 0 has another key", err)
	}
}

// silent is a stream whose other end neither reads nor writes.
type silent struct {
	gone chan struct{}
	once sync.Once
}

func (s *silent) Read([]byte) (int, error)  { <-s.gone; return 0, io.EOF }
func (s *silent) Write([]byte) (int, error) { <-s.gone; return 0, io.ErrClosedPipe }
func (s *silent) Close() error {
	s.once.Do(func() { close(s.gone) })
	return nil
}

// TestFarewell closes a connection whose other end does not read: the last message has a few seconds, and closing twice does
// no harm.
func TestFarewell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &silent{gone: make(chan struct{})}
		l := newLink(1, s)
		l.send(end)
		began := time.Now()
		l.close()
		if took := time.Since(began); took != farewell {
			t.Errorf("closing takes %v, want %v", took, farewell)
		}
		l.close()
		l.written() // returns, as nothing can be written any more
		if _, ok := <-l.in; ok {
			t.Error("there is a message")
		}
	})
}

// TestBackpressure sends more messages than the receiver takes: the sender's stream waits, and closing
// does not. No goroutine is left.
func TestBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		l := newLink(1, near)
		wrote := make(chan int)
		go func() {
			n := 0
			for ; n < 1000; n++ {
				if writeMessage(far, forward, make([]byte, 32<<10)) != nil {
					break
				}
			}
			wrote <- n
		}()
		for range 3 {
			if m := <-l.in; m.kind != forward || len(m.body) != 32<<10 {
				t.Fatalf("got %v of %d bytes", m.kind, len(m.body))
			}
		}
		synctest.Wait() // until the reader and the sender wait
		l.close()
		// The channel, the message that is being read, and the buffer of the reader, which holds two of these.
		if n := <-wrote; n > 3+pending+1+3 {
			t.Errorf("%d messages are written, of which 3 were taken", n)
		}
	})
}

// TestTooLarge: a message above the limit is not begun, and says what to do.
func TestTooLarge(t *testing.T) {
	part := make([]byte, 1<<20)
	var parts [][]byte
	for range maxMessage>>20 + 1 {
		parts = append(parts, part) // the same memory
	}
	var w countingWriter
	if err := writeMessage(&w, forward, parts...); err == nil || !strings.Contains(err.Error(), "--micro-batches") {
		t.Errorf("got %v, want what to do", err)
	}
	if w > 0 {
		t.Errorf("%d bytes of it are written", w)
	}
}

type countingWriter int

func (w *countingWriter) Write(b []byte) (int, error) {
	*w += countingWriter(len(b))
	return len(b), nil
}

// TestMessageCutOff: a message that ends early, or cannot be written whole, is an error.
func TestMessageCutOff(t *testing.T) {
	var whole strings.Builder
	if err := writeMessage(&whole, state, []byte("abc"), []byte("de")); err != nil {
		t.Fatal(err)
	}
	for n := range whole.Len() {
		if m, err := readMessage(strings.NewReader(whole.String()[:n])); err == nil {
			t.Errorf("%d bytes of %d are the message %v", n, whole.Len(), m)
		}
		if err := writeMessage(&shortWriter{n}, state, []byte("abc"), []byte("de")); err != io.ErrShortWrite {
			t.Errorf("with room for %d bytes: got %v", n, err)
		}
	}
}

// shortWriter has room for some bytes.
type shortWriter struct{ room int }

func (w *shortWriter) Write(b []byte) (int, error) {
	if len(b) > w.room {
		return w.room, io.ErrShortWrite
	}
	w.room -= len(b)
	return len(b), nil
}

// TestWholeRefuses: a model whose inputs cannot be divided into micro-batches is refused.
func TestWholeRefuses(t *testing.T) {
	for _, port := range []model.Port{
		{Name: "words", Type: "string[batch]", Elem: tensor.String, Dims: []string{"batch"}},
		{Name: "count", Type: "int64[]", Elem: tensor.Int64},
	} {
		m := newScales(2, 0)
		m.Stages[0].Program.Inputs = []model.Port{port}
		want := fmt.Sprintf("%s is %s, want a tensor of numbers with an axis for the batch", port.Name, port.Type)
		if _, err := m.whole(1); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestSetInputRefuses: the leader takes tensors with an axis for the batch, for inputs that exist, and no step begins before
// all are there.
func TestSetInputRefuses(t *testing.T) {
	l := &leader{m: &newScales(2, 0).Model, given: make([]*tensor.Tensor, 2)}
	for i, v := range []tensor.Value{tensor.Of([]float32{1}), (*tensor.Sequence)(nil)} {
		if err := l.SetInput(i, v); err == nil {
			t.Errorf("%v is taken", v)
		}
	}
	for _, i := range []int{-1, 2} {
		if err := l.SetInput(i, tensor.Of([]float32{1}, 1)); err == nil {
			t.Errorf("input %d is taken", i)
		}
	}
	if err := l.SetInput(0, tensor.Of([]float32{1}, 1)); err != nil {
		t.Error(err)
	}
	if _, err := l.Step(1); err == nil || err.Error() != "there is no input 1" {
		t.Errorf("got %v, want that an input is missing", err)
	}
}

// TestFingerprint: stages are of one training only if all that they must have in common is the same.
func TestFingerprint(t *testing.T) {
	same := string(newScales(3, 0).fingerprint())
	if string(newScales(3, 7).fingerprint()) != same {
		t.Error("two processes of one program differ")
	}
	for what, change := range map[string]func(m *Model){
		"the name":       func(m *Model) { m.Name = "other" },
		"the clipping":   func(m *Model) { m.ClipNorm = 1 },
		"a stage less":   func(m *Model) { m.Stages = m.Stages[:2] },
		"the loss":       func(m *Model) { m.last().Program.Loss = "mse" },
		"the optimizer":  func(m *Model) { m.Stages[0].Program.Optimizer = "adam" },
		"the rate":       func(m *Model) { m.last().Program.Rate = 1 },
		"an input":       func(m *Model) { m.Stages[1].Inputs = []int{0} },
		"a shape":        func(m *Model) { m.Stages[1].Program.Outputs[0].Dims[1] = "2" },
		"an element":     func(m *Model) { m.Stages[1].Program.Outputs[0].Elem = tensor.Float16 },
		"the state size": func(m *Model) { m.Stages[1].Program.State++ },
	} {
		m := newScales(3, 0)
		change(&m.Model)
		if string(m.fingerprint()) == same {
			t.Errorf("%s changes nothing", what)
		}
	}
}
