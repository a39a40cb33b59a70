package docs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// session runs the commands of one page: one shell in an empty folder, in which bbgen is a clone.
type session struct {
	page     *page
	dir      string
	path     string   // prepended to PATH
	services []string // variables with the addresses of servers, see services
}

// patience is the time limit of a page on a busy machine.
const patience = 25 * time.Minute

// run runs all steps, and returns the error of the first one that fails.
func (s *session) run(ctx context.Context, root string) error {
	steps, err := s.page.steps()
	if err != nil {
		return err
	}
	if err := s.prepare(root); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sh := exec.CommandContext(ctx, "sh", filepath.Join(s.out(), "script"))
	sh.Dir = s.work()
	sh.Env = s.environment()
	sh.WaitDelay = time.Second
	if err := os.WriteFile(filepath.Join(s.out(), "script"), []byte(s.script(steps)), 0o666); err != nil {
		return err
	}
	if err := sh.Run(); err != nil {
		return s.failure(steps, errors.Join(err, context.Cause(ctx)))
	}
	return s.compare(steps)
}

func (s *session) work() string { return filepath.Join(s.dir, "work") }
func (s *session) out() string  { return filepath.Join(s.dir, "out") }

func (s *session) prepare(root string) error {
	if err := errors.Join(os.MkdirAll(s.work(), 0o777), os.MkdirAll(s.out(), 0o777)); err != nil {
		return err
	}
	return os.Symlink(root, filepath.Join(s.work(), "bbgen"))
}

// environment returns the environment of a user with a full module cache (see [modcache.Fill]) and no
// network. Without cgo and with trimmed paths, packages that a page builds and that bbgen builds are compiled
// once.
func (s *session) environment() []string {
	bin := filepath.Join(s.dir, "bin")
	path := bin + string(filepath.ListSeparator)
	if s.path != "" {
		path += s.path + string(filepath.ListSeparator)
	}
	return append(append(os.Environ(), s.services...), "PWD="+s.work(), "GOBIN="+bin, "PATH="+path+os.Getenv("PATH"),
		"LC_ALL=C", "GOPROXY=off", "GOSUMDB=off", "GOFLAGS=-trimpath", "CGO_ENABLED=0", "GOWORK=", "GOTOOLCHAIN=local")
}

// script runs each step and writes its output to a file of its own. It ends after a step that fails, and then
// kills background processes.
func (s *session) script(steps []step) string {
	var b strings.Builder
	b.WriteString("trap 'kill $background 2>/dev/null; wait' EXIT\nexec </dev/null\n")
	for i, x := range steps {
		fmt.Fprintf(&b, "exec >'%s' 2>&1\n%s\n[ $? = 0 ] || exit 1\nbackground=\"$background $!\"\n", s.outputFile(i), x.command)
	}
	return b.String()
}

func (s *session) outputFile(step int) string { return filepath.Join(s.out(), fmt.Sprint(step)) }

func (s *session) output(step int) string {
	b, _ := os.ReadFile(s.outputFile(step))
	return string(b)
}

// failure names the last step.
func (s *session) failure(steps []step, err error) error {
	for i := len(steps) - 1; i >= 0; i-- {
		if _, missing := os.Stat(s.outputFile(i)); missing == nil {
			return fmt.Errorf("%s:%d: %s: %w\n%s", s.page.name, steps[i].line, steps[i].command, err, s.output(i))
		}
	}
	return err
}

// compare compares all outputs with those on the page.
func (s *session) compare(steps []step) error {
	var all []error
	for i, x := range steps {
		if x.want == nil {
			continue
		}
		got := s.output(i)
		if err := compare(x.want, strings.Split(got, "\n"), x.loose); err != nil {
			all = append(all, fmt.Errorf("%s:%d: %s: %w\nthe whole output:\n%s", s.page.name, x.line, x.command, err, got))
		}
	}
	return errors.Join(all...)
}
