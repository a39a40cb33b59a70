package pipeline

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// kind is the purpose of a message.
type kind uint8

// The messages. The first is sent on each stream, two go from stage to stage, and the rest between the last stage
// and each other one.
const (
	hello    kind = iota + 1 // both ways: the fingerprint and the number of the sender
	forward                  // to the next stage: the outputs for a micro-batch
	backward                 // to the stage before: the gradients of these
	begin                    // to a stage: the seed
	began                    // from a stage: its variables
	share                    // to a stage: which of its weights other stages have, too, by number
	command                  // to a stage: a step or an evaluation, see order
	feed                     // to a stage: its inputs of the model, for the next micro-batch
	done                     // from a stage: the norms of its gradients, and the gradients of shared weights
	apply                    // to a stage: the factor of the gradients, and the sums of those of shared weights
	fetch                    // to a stage: send the state
	state                    // both ways: the values of all variables
	stop                     // from a stage: it was asked to end, so the training is to write a checkpoint
	failed                   // both ways: the training ends with this error
	end                      // to a stage: the training has ended
)

var kindNames = [...]string{
	hello: "hello", forward: "forward", backward: "backward", begin: "begin", began: "began", share: "share", command: "command", feed: "feed",
	done: "done", apply: "apply", fetch: "fetch", state: "state", stop: "stop", failed: "failed", end: "end",
}

func (k kind) String() string {
	if int(k) < len(kindNames) && k != 0 {
		return kindNames[k]
	}
	return fmt.Sprintf("of unknown kind %d", uint8(k))
}

// maxMessage is the largest size of a message in bytes. It is an int on 32-bit machines, too.
const maxMessage = math.MaxInt32

var errMessage = errors.New("the other end does not follow the protocol of a training in stages")

// message is a received message.
type message struct {
	kind kind
	body []byte
}

// writeMessage writes a message: its size, its kind, and the parts of its body.
func writeMessage(w io.Writer, k kind, parts ...[]byte) error {
	size := uint64(1)
	for _, p := range parts {
		size += uint64(len(p))
	}
	if size > maxMessage {
		return fmt.Errorf("a message of %d bytes, the limit is %d: give more --micro-batches", size, maxMessage)
	}
	if _, err := w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(size)), byte(k))); err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// readMessage reads a message. Memory grows with the bytes that arrive.
func readMessage(r io.Reader) (message, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return message{}, err
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size < 1 || size > maxMessage {
		return message{}, fmt.Errorf("%w: its size is %d", errMessage, size)
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, int64(size-1)); err != nil {
		return message{}, err
	}
	return message{kind(head[4]), b.Bytes()}, nil
}

// encode returns the form of tensors on the wire. The elements are not copied.
func encode(list []*tensor.Tensor) (parts [][]byte) {
	for _, t := range list {
		b := binary.AppendUvarint(nil, uint64(len(t.Shape)))
		for _, d := range t.Shape {
			b = binary.AppendUvarint(b, uint64(d))
		}
		parts = append(parts, b, t.Bytes())
	}
	return parts
}

// decode returns the tensors for some ports. It checks everything before it allocates a tensor.
func decode(b []byte, ports []model.Port) ([]*tensor.Tensor, error) {
	var list []*tensor.Tensor
	for _, p := range ports {
		shape, rest, err := decodeShape(b, p)
		if err != nil {
			return nil, err
		}
		t := tensor.New(p.Elem, shape...)
		b = rest[copy(t.Bytes(), rest):]
		if p.Elem == tensor.Bool {
			for _, x := range t.Bytes() {
				if x > 1 {
					return nil, fmt.Errorf("%w: a bool of %s is %d", errMessage, p.Name, x)
				}
			}
		}
		list = append(list, t)
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%w: %d bytes follow the values", errMessage, len(b))
	}
	return list, nil
}

// decodeShape reads a shape, and checks that it is one of the port and that as many elements follow.
func decodeShape(b []byte, p model.Port) (shape []int, rest []byte, err error) {
	wrong := func(what string) error { return fmt.Errorf("%w: %s of %s, want %s", errMessage, what, p.Name, p.Type) }
	rank, n := binary.Uvarint(b)
	if n <= 0 || rank != uint64(len(p.Dims)) {
		return nil, nil, wrong("a wrong rank")
	}
	b = b[n:]
	bytes := uint64(p.Elem.Size())
	for i := range p.Dims {
		d, n := binary.Uvarint(b)
		if fixed, err := strconv.Atoi(p.Dims[i]); n <= 0 || d > maxMessage || err == nil && d != uint64(fixed) {
			return nil, nil, wrong("a wrong size")
		}
		b, shape = b[n:], append(shape, int(d))
		if bytes *= d; bytes > maxMessage {
			return nil, nil, wrong("too many elements")
		}
	}
	if bytes > uint64(len(b)) {
		return nil, nil, wrong("too few elements")
	}
	return shape, b, nil
}

// order is the body of a command.
type order struct {
	Train bool    // a step, otherwise an evaluation
	Rate  float64 // of a step
	Sizes []int   // the numbers of examples of the micro-batches
}

// variable describes a variable of a stage without its value.
type variable struct {
	Name  string
	Kind  model.VariableKind
	Of    string
	DType tensor.DType
	Shape []int
}

// text returns a value as JSON, for messages that are few.
func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return b
}

// untext reads what text returns.
func untext(b []byte, v any) error {
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%w: %w", errMessage, err)
	}
	return nil
}

// floats returns numbers as bytes.
func floats(list ...float64) (b []byte) {
	for _, x := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// unfloats reads n numbers.
func unfloats(b []byte, n int) ([]float64, error) {
	if len(b) != 8*n {
		return nil, fmt.Errorf("%w: %d bytes for %d numbers", errMessage, len(b), n)
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return list, nil
}
