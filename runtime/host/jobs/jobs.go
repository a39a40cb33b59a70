// Package jobs runs many programs on many inputs in one process. The verb bbgen test uses it to run cases.
package jobs

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/run"
	"github.com/bbgen/bbgen/runtime/model"
)

// ErrorFile is the file that a job writes into its output folder, instead of outputs, when the model fails.
const ErrorFile = "ERROR"

// Main reads jobs from standard input, one per line: the number of the program, the folder with input_I.pb
// and the folder for output_I.pb, separated by tabs. When a job is done it prints the number of its line.
func Main(programs []func() model.Program) {
	if err := serve(programs, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(programs []func() model.Program, r io.Reader, w io.Writer) error {
	lines := bufio.NewScanner(r)
	for i := 0; lines.Scan(); i++ {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 3 {
			return fmt.Errorf("job %d: got %d fields, want 3", i, len(f))
		}
		n, err := strconv.Atoi(f[0])
		if err != nil || n < 0 || n >= len(programs) {
			return fmt.Errorf("job %d: there is no program %s", i, f[0])
		}
		if err := job(programs[n](), f[1], f[2]); err != nil {
			if err := os.WriteFile(filepath.Join(f[2], ErrorFile), []byte(err.Error()+"\n"), 0o666); err != nil {
				return err
			}
		}
		fmt.Fprintln(w, i)
	}
	return lines.Err()
}

// job runs one program on one folder of inputs.
func job(p model.Program, in, out string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	s, err := p.New()
	if err != nil {
		return err
	}
	if err := run.LoadFolder(p, s, in); err != nil {
		return err
	}
	if err := s.Run(); err != nil {
		return err
	}
	return run.WriteFolder(p, s, out)
}
