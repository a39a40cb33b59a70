package upgrade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
)

// Successor is the binary that a process executes when its peer has ended.
type Successor struct {
	Binary   string
	Previous string // the copy of the old binary; "": the new one was in place already
	Args     []string
	order    state.Order
	state    string
}

// Error says that the process goes on.
func (*Successor) Error() string { return "the peer goes on as another binary" }

// replace replaces the binary by a file, and keeps the old one beside it. If the process is killed at any time,
// one of the two complete files is in place.
func (s *Successor) replace(file string) error {
	after, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, err := os.ReadFile(s.Binary)
	if err != nil || bytes.Equal(before, after) { // of an earlier upgrade
		return err
	}
	info, err := os.Stat(s.Binary)
	if err != nil {
		return err
	}
	temp, err := disk.Prepare(disk.OS, s.Binary, info.Mode().Perm(), after)
	if err != nil {
		return fmt.Errorf("%w: put the new binary there yourself, and run upgrade without -binary", err)
	}
	previous := s.Binary + ".previous"
	os.Remove(previous)
	if err := os.Link(s.Binary, previous); err != nil {
		os.Remove(temp)
		return fmt.Errorf("the binary that runs cannot be kept: %w", err)
	}
	if err := disk.Commit(disk.OS, temp, s.Binary); err != nil {
		return err
	}
	s.Previous = previous
	return nil
}

// back restores the replaced binary.
func (s *Successor) back() error {
	if s == nil || s.Previous == "" {
		return nil
	}
	return os.Rename(s.Previous, s.Binary)
}

// Take executes the successor. If it cannot be run, it executes the old binary, which continues. It returns if
// neither can be run.
func (s *Successor) Take() error {
	name := os.Args[0]
	err := execute(s.Binary, append([]string{name}, s.Args...))
	o := s.order
	o.Stage, o.Refused = state.Refused, fmt.Sprintf("%s cannot be run: %v", s.Binary, err)
	state.WriteOrder(disk.OS, s.state, &o)
	if s.Previous == "" {
		return err
	}
	if worse := s.back(); worse != nil {
		return errors.Join(err, worse)
	}
	return errors.Join(err, execute(s.Binary, os.Args))
}

// askPatience is how long the output of a binary that has ended may stay open: if it is a script, a program that it has started
// may hold it.
const askPatience = time.Second

// ask runs a binary with some arguments to get its version.
func ask(ctx context.Context, file string, args []string) (v state.Version, err error) {
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, file, append([]string{"version"}, args...)...)
	cmd.Stderr = &errs
	cmd.WaitDelay = askPatience
	out, err := cmd.Output()
	if err != nil {
		if said := strings.TrimSpace(errs.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return v, fmt.Errorf("%s does not say which version it is: %w", file, err)
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return v, fmt.Errorf("%s is no peer that can be upgraded to: it says %.100q", file, out)
	}
	return v, nil
}
