package wire

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// readings read a message with n of the items that a limit bounds, within all other limits.
var readings = map[string]func(t *testing.T, n int, lim *Limits) []error{
	"Envelope": func(t *testing.T, n int, lim *Limits) []error {
		var e Envelope
		b := AppendEnvelope(nil, &Envelope{Seq: 1})
		for len(b) < n { // unknown fields
			k := min(n-len(b), 1000)
			if k > 3 {
				b = append(appendHead(b, 100<<3|bytesType, k-4), make([]byte, k-4)...)
			} else {
				b = append(b, []byte{0xa5, 0x06, 0, 0, 0, 0}[:k]...)
			}
		}
		return []error{notMalformed(ConsumeEnvelope(&e, b[:n], lim))}
	},
	"Fills": func(t *testing.T, n int, lim *Limits) []error {
		return []error{envelope(lim, func(e *Envelope) { e.Fills = make([]SlotFill, n) })}
	},
	"Fill": func(t *testing.T, n int, lim *Limits) []error {
		return []error{envelope(lim, func(e *Envelope) { e.Fills = []SlotFill{{Payload: make([]byte, n)}} })}
	},
	"Suffix": func(t *testing.T, n int, lim *Limits) []error {
		return []error{envelope(lim, func(e *Envelope) { e.Fills = []SlotFill{{Suffix: make([]byte, n)}} })}
	},
	"Dims": func(t *testing.T, n int, lim *Limits) []error {
		return []error{envelope(lim, func(e *Envelope) { e.Fills = []SlotFill{{Dims: make([]uint64, n)}} })}
	},
	"Addresses": func(t *testing.T, n int, lim *Limits) []error {
		return []error{envelope(lim, func(e *Envelope) { e.Dest = slices.Repeat([]Address{"/a"}, n) }),
			envelope(lim, func(e *Envelope) { e.SrcAddrs = slices.Repeat([]Address{"/a"}, n) })}
	},
	"Address": func(t *testing.T, n int, lim *Limits) []error {
		_, err := ParseAddress("/"+strings.Repeat("a", n-1), lim)
		return []error{err}
	},
	"Hello": func(t *testing.T, n int, lim *Limits) []error {
		b := AppendHello(nil, &Hello{Protocol: 1})
		for len(b)+128 < n {
			b = append(appendHead(b, 100<<3|bytesType, 100), make([]byte, 100)...)
		}
		b = append(appendHead(b, 100<<3|bytesType, n-len(b)-3), make([]byte, n-len(b)-3)...)
		_, err := ConsumeHello(b, lim)
		return []error{err}
	},
	"Classes": func(t *testing.T, n int, lim *Limits) []error {
		return []error{hello(lim, Hello{Classes: make([]string, n)})}
	},
	"Name": func(t *testing.T, n int, lim *Limits) []error {
		long := strings.Repeat("a", n)
		return []error{hello(lim, Hello{Classes: []string{long}}), hello(lim, Hello{KernelLevel: long}), hello(lim, Hello{BuildID: long}), hello(lim, Hello{Refusal: long})}
	},
	"Proof": func(t *testing.T, n int, lim *Limits) []error {
		return []error{hello(lim, Hello{Fingerprint: make([]byte, n)}), hello(lim, Hello{JoinProof: make([]byte, n)})}
	},
	"Chunk": func(t *testing.T, n int, lim *Limits) []error {
		_, err := ConsumeChunk(AppendChunk(nil, &Chunk{Bulk: 1, Data: make([]byte, n)}), lim)
		return []error{err}
	},
	"Bulk": func(t *testing.T, n int, lim *Limits) []error {
		_, err := NewAssembly(Bulk{ID: 1, Size: uint64(n)}, lim.Bulk)
		return []error{err, envelope(lim, func(e *Envelope) { e.Fills = []SlotFill{{Bulk: Bulk{ID: 1, Size: uint64(n)}}} })}
	},
}

// notMalformed drops errors about the content, which are not tested here.
func notMalformed(err error) error {
	if errors.Is(err, ErrMalformed) {
		return nil
	}
	return err
}

func envelope(lim *Limits, f func(*Envelope)) error {
	e, got := Envelope{Exec: ExecID{Origin: peerOf(append([]byte{1}, make([]byte, keySize)...))}}, Envelope{}
	f(&e)
	return ConsumeEnvelope(&got, AppendEnvelope(nil, &e), lim)
}

func hello(lim *Limits, h Hello) error {
	_, err := ConsumeHello(AppendHello(nil, &h), lim)
	return err
}

// A message at a limit is read, and one with one item more is refused with the name of the limit. A limit
// without a row here fails.
func TestLimits(t *testing.T) {
	lim := Edge()
	v := reflect.ValueOf(lim)
	for i := range v.NumField() {
		name, limit := v.Type().Field(i).Name, int(v.Field(i).Int())
		read := readings[name]
		if read == nil {
			t.Errorf("no test of Limits.%s", name)
			continue
		}
		if err := errors.Join(read(t, limit, &lim)...); err != nil {
			t.Errorf("%s: %d is refused: %v", name, limit, err)
		}
		for _, err := range read(t, limit+1, &lim) {
			if x, ok := errors.AsType[*LimitError](err); !ok || x.Got != uint64(limit+1) || x.Max != uint64(limit) || x.What == "" {
				t.Errorf("%s: %d: got %v", name, limit+1, err)
			}
		}
	}
}
