package output

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Files writes the files of -out with a goroutine of its own. Files for which there is no room wait, as many as
// fit into memory.
type Files struct {
	*worker
	disk disk.FS
	dir  string
	log  *slog.Logger

	late   []outFile // used by the goroutine, oldest first
	bytes  int       // of late
	failed uint64    // files that were given up
	waits  atomic.Bool
}

// outFile is a value to be written.
type outFile struct {
	event runtime.Event
	of    string // see [feed.Write]
	size  int
}

// maxLate is how many bytes of files wait for room.
const maxLate = 64 << 20

// OpenFiles makes the folder of -out. For no folder it returns nil, which ignores values.
func OpenFiles(on disk.FS, dir string, log *slog.Logger) (*Files, error) {
	if dir == "" {
		return nil, nil
	}
	if err := on.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return &Files{worker: newWorker(), disk: on, dir: dir, log: log}, nil
}

// Value writes a value that the program has given to its host; see [feed.Write] for of.
func (o *Files) Value(e runtime.Event, of string) {
	t, ok := e.Value.(*tensor.Tensor)
	if o == nil || !ok {
		return
	}
	x := outFile{e, of, bytesOf(t)}
	if !o.give(x.size, func() { o.write(x) }) {
		o.give(0, func() { o.lose(1, nil) })
	}
}

// bytesOf returns how many bytes the elements of a tensor have.
func bytesOf(t *tensor.Tensor) int {
	n := t.Len() * max(t.DType.Size(), 1)
	if texts, ok := t.Data.([]string); ok {
		for _, x := range texts {
			n += len(x)
		}
	}
	return n
}

// Retry writes the files that wait for room, if there are any.
func (o *Files) Retry() {
	if o != nil && o.waits.Load() {
		o.give(0, o.writeLate)
	}
}

func (o *Files) write(x outFile) {
	o.late = append(o.late, x)
	o.bytes += x.size
	o.writeLate()
}

// writeLate writes the waiting files, in order, until there is no room.
func (o *Files) writeLate() {
	was := o.waits.Load()
	for len(o.late) > 0 {
		x := &o.late[0]
		if err := feed.Write(o.disk, o.dir, x.event, x.of); err != nil {
			if !o.waits.Swap(true) {
				o.log.Error("-out: files wait for room, and it is tried again", "err", err)
			}
			o.bound(err)
			return
		}
		o.drop()
	}
	o.waits.Store(false)
	if was {
		o.log.Info("-out: files are written again")
	}
}

func (o *Files) drop() {
	o.bytes -= o.late[0].size
	o.late[0] = outFile{}
	o.late = o.late[1:]
}

// bound gives up the oldest waiting files if there are too many.
func (o *Files) bound(err error) {
	for len(o.late) > 1 && o.bytes > maxLate {
		o.drop()
		o.lose(1, err)
	}
}

func (o *Files) lose(n uint64, err error) {
	if o.failed == 0 {
		o.log.Error("-out: files are lost", "err", err)
	}
	o.failed += n
}

// Settle makes all earlier files durable, or finds that they have no room. It does not wait for a disk that
// writes nothing for the time patience.
func (o *Files) Settle(patience time.Duration) {
	if o != nil {
		o.Flush(patience)
	}
}

// End returns how many files were not written. It does not wait for a disk that writes nothing for the time
// patience.
func (o *Files) End(patience time.Duration) error {
	if o == nil {
		return nil
	}
	o.Retry()
	var left uint64
	o.give(0, func() { left = o.failed + uint64(len(o.late)) })
	o.close()
	switch {
	case !o.Flush(patience):
		return fmt.Errorf("-out %s: the disk is too slow: files are lost", o.dir)
	case left > 0:
		return fmt.Errorf("-out %s: files that could not be written: %d", o.dir, left)
	}
	return nil
}
