package pipeline

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// newPipe returns a link to a stage, and the other end of its stream.
func newPipe(t *testing.T, stage int) (*link, net.Conn) {
	t.Helper()
	near, far := net.Pipe()
	l := newLink(stage, near)
	t.Cleanup(func() {
		far.Close()
		l.close()
	})
	return l, far
}

// raw is a message with a kind of any number, whose size is another one than that of its body if size is not 0.
type raw struct {
	kind kind
	body []byte
	size uint32
}

func (r raw) write(w io.Writer) {
	b := binary.LittleEndian.AppendUint32(nil, max(r.size, uint32(len(r.body)+1)))
	w.Write(append(append(b, byte(r.kind)), r.body...))
}

// TestHostileStage lets a stage send the last one what is out of order, malformed, or too large: the training ends with
// an error that names the stage.
func TestHostileStage(t *testing.T) {
	state := `[{"Name":"w0","Kind":0,"DType":1,"Shape":[1]}]`
	for name, messages := range map[string][]raw{
		"an unknown kind":        {{kind: 77}},
		"no kind":                {{kind: 0}},
		"a hello":                {{kind: hello}},
		"an order":               {{kind: command, body: []byte("{}")}},
		"an answer to nothing":   {{kind: done}},
		"no list of variables":   {{kind: began, body: []byte("{")}},
		"too large a state":      {{kind: began, body: []byte(`[{"Name":"w0","DType":1,"Shape":[1000]}]`)}},
		"a size below 0":         {{kind: began, body: []byte(`[{"Name":"w0","DType":1,"Shape":[-1]}]`)}},
		"a message without end":  {{kind: began, size: 1 << 31}},
		"an error":               {{kind: failed, body: []byte("no room")}},
		"no norms":               {{kind: began, body: []byte(state)}, {kind: done}},
		"norms of other weights": {{kind: began, body: []byte(state)}, {kind: done, body: make([]byte, 16)}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newScales(2, 0)
			prev, data := newPipe(t, 0)
			control, far := newPipe(t, 0)
			go io.Copy(io.Discard, far)
			l := lead(&m.Model, 1, prev, []*link{control}, func() {})
			l.given = make([]*tensor.Tensor, 2)
			go func() {
				for _, r := range messages {
					r.write(far)
				}
			}()
			err := l.begin(1)
			if err == nil {
				go io.Copy(io.Discard, data)
				go writeMessage(data, forward, encode([]*tensor.Tensor{tensor.Of([]float32{1}, 1, 1)})...)
				for i := range l.given {
					l.given[i] = tensor.Of([]float32{1}, 1, 1)
				}
				_, err = l.Step(0.1)
			}
			if err == nil {
				t.Fatal("the training goes on")
			}
			if name == "an error" {
				if err.Error() != "no room" {
					t.Errorf("got %v, want the error of the stage", err)
				}
			} else if !errors.Is(err, errMessage) && !strings.Contains(err.Error(), "stage 0 of 2") {
				t.Errorf("got %v, want the stage and what it sent", err)
			}
		})
	}
}

// TestHostileLeader lets the last stage send another one what is out of order or malformed: that stage ends with an
// error, and says so.
func TestHostileLeader(t *testing.T) {
	begins := raw{kind: begin, body: []byte("1")}
	for name, messages := range map[string][]raw{
		"an order before the begin":    {{kind: command, body: []byte("{}")}},
		"a seed that is none":          {{kind: begin, body: []byte("x")}},
		"an unknown kind":              {begins, {kind: 77}},
		"a weight that does not exist": {begins, {kind: share, body: []byte("[5]")}},
		"no list of weights":           {begins, {kind: share, body: []byte("{}")}},
		"an order of nothing":          {begins, {kind: command, body: []byte(`{"Train":true}`)}},
		"no order":                     {begins, {kind: command, body: []byte("[")}},
		"a micro-batch of nothing":     {begins, {kind: command, body: []byte(`{"Train":true,"Sizes":[0]}`)}},
		"half of a state":              {begins, {kind: state, body: []byte{1, 2}}},
		"another input than ordered":   {begins, {kind: command, body: []byte(`{"Train":true,"Sizes":[1]}`)}, {kind: apply}},
		"an input of another shape":    {begins, {kind: command, body: []byte(`{"Train":true,"Sizes":[1]}`)}, {kind: feed, body: []byte{1, 1, 0, 0, 0, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newScales(2, 0)
			control, far := newPipe(t, 1)
			next, data := newPipe(t, 1)
			go io.Copy(io.Discard, data)
			var said bytes.Buffer
			heard := make(chan struct{})
			go func() {
				io.Copy(&said, far)
				close(heard)
			}()
			go func() {
				for _, r := range messages {
					r.write(far)
				}
			}()
			f := &follower{m: &m.Model, number: 0, next: next, control: control}
			err := f.follow()
			f.close()
			<-heard
			if !errors.Is(err, errMessage) {
				t.Fatalf("got %v, want what is wrong with the message", err)
			}
			if !strings.Contains(said.String(), err.Error()) {
				t.Errorf("the last stage is not told %q", err)
			}
		})
	}
}

// TestKinds shows that each kind of message has a name for errors, and that an unknown one has its number.
func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for k := hello; k <= end; k++ {
		if name := k.String(); name == "" || seen[name] || strings.Contains(name, "unknown") {
			t.Errorf("kind %d is called %q", k, name)
		}
		seen[k.String()] = true
	}
	if got := kind(200).String(); got != "of unknown kind 200" {
		t.Errorf("got %q", got)
	}
}
