package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/status"
)

// scarce is a file on a disk with room for a number of bytes.
type scarce struct {
	bytes.Buffer
	room int
}

func (s *scarce) Write(b []byte) (int, error) {
	n, err := min(len(b), s.room), error(nil)
	if n < len(b) {
		err = errors.New("no room")
	}
	s.room -= n
	s.Buffer.Write(b[:n])
	return n, err
}

// Events without room are lost; later events are on lines of their own when there is room again.
func TestEventsWithoutRoom(t *testing.T) {
	disk := &scarce{room: 100}
	e := NewEvents(disk, nil, slog.New(slog.DiscardHandler))
	for range 3 {
		e.Line(status.Line{Kind: "lost", Error: strings.Repeat("x", 100)}, nil)
	}
	e.Flush(time.Minute)
	disk.room = 1 << 20
	for _, kind := range []string{"first", "second"} {
		e.Line(status.Line{Kind: kind}, nil)
	}
	e.Flush(time.Minute)
	lines := strings.Split(strings.TrimSpace(disk.String()), "\n")
	if len(lines) != 3 || len(lines[0]) != 100 {
		t.Fatalf("got %q", lines)
	}
	for i, kind := range []string{"first", "second"} {
		var l status.Line
		if err := json.Unmarshal([]byte(lines[i+1]), &l); err != nil || l.Kind != kind {
			t.Errorf("line %d is %s: %v", i+1, lines[i+1], err)
		}
	}
}
