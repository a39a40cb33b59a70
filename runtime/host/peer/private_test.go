package peer

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestPrivate: results of a private program are no lines, as their memory may be written again; what fails is.
func TestPrivate(t *testing.T) {
	for private, want := range map[bool]string{false: "emitted finished failed finished", true: "failed finished"} {
		h, err := newTestHost(t, Options{}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		var told int
		var lines bytes.Buffer
		h.program.Private, h.program.Tell = private, func(runtime.Event) { told++ }
		h.events = output.NewEvents(&lines, nil, h.log)
		for _, e := range []runtime.Event{
			{Kind: runtime.Emitted, Module: "m", Name: "sum", Value: tensor.Of([]float32{1}, 1)},
			{Kind: runtime.Finished, Module: "m"},
			{Kind: runtime.Failed, Module: "m", Err: errors.New("no sum")},
			{Kind: runtime.Finished, Module: "m", Err: errors.New("a block failed")},
		} {
			h.tell(e)
		}
		h.events.End(time.Minute)
		var kinds []string
		for line := range strings.Lines(lines.String()) {
			_, after, _ := strings.Cut(line, `"kind":"`)
			kind, _, _ := strings.Cut(after, `"`)
			kinds = append(kinds, kind)
		}
		if got := strings.Join(kinds, " "); got != want || told != 4 {
			t.Errorf("private: %v: lines %q, want %q; the program is told %d events, want 4", private, got, want, told)
		}
	}
}
