package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// engine is one of the programs that bbgen is compared with.
type engine struct {
	key   string // the argument of engines.py
	title string // in tables
}

// engines are all of them, in the order of the columns.
var engines = []engine{{"onnxruntime", "ONNX Runtime"}, {"openvino", "OpenVINO"}, {"mnn", "MNN"}}

//go:embed engines.py
var enginesPy []byte

// errMissing says that an engine is not installed.
var errMissing = errors.New("not installed")

// answer is a line of engines.py.
type answer struct {
	line
	Version string `json:"version"`
	Missing string `json:"missing"`
	Failed  string `json:"failed"`
}

// process is an engine that has loaded a case and runs when it is asked to.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	version string
	load    float64
}

// python starts engines.
type python struct {
	name   string            // the program
	script string            // engines.py
	tmp    string            // for outputs and converted models
	limits map[string]*limit // by level; none for the machine's best
}

// newPython prepares to start engines with a Python, below a temporary folder.
func newPython(name, tmp string) (*python, error) {
	p := &python{name: name, script: filepath.Join(tmp, "engines.py"), tmp: filepath.Join(tmp, "engines"), limits: map[string]*limit{}}
	return p, os.WriteFile(p.script, enginesPy, 0o666)
}

// outputs returns the folder for the outputs of an engine for a case.
func (p *python) outputs(e engine, dir, level string) string {
	return filepath.Join(p.tmp, filepath.Base(dir), e.key+"-"+level)
}

// start starts an engine on a case. Its outputs are in the folder of [python.outputs] when start returns.
func (p *python) start(e engine, dir, level string, threads int) (*process, error) {
	folder := p.outputs(e, dir, level)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	cmd := exec.Command(p.name, p.script, e.key, filepath.Join(dir, "model.onnx"), filepath.Join(dir, data), strconv.Itoa(threads), folder)
	if l := p.limits[level]; l != nil {
		cmd.Env = l.env()
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &process{cmd: cmd, in: in, out: bufio.NewReader(out)}
	a, err := s.answer()
	if err != nil {
		s.stop()
		return nil, err
	}
	s.version, s.load = a.Version, a.Load
	return s, nil
}

// step lets the engine run for a while.
func (s *process) step(budget time.Duration) (line, error) {
	if _, err := fmt.Fprintln(s.in, budget.Milliseconds()); err != nil {
		return line{}, err
	}
	a, err := s.answer()
	a.Load = s.load
	return a.line, err
}

// answer reads a line.
func (s *process) answer() (answer, error) {
	text, err := s.out.ReadBytes('\n')
	if err != nil {
		return answer{}, fmt.Errorf("the process ended: %w", err)
	}
	return parseAnswer(text)
}

// parseAnswer parses a line of engines.py.
func parseAnswer(text []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("engines.py printed %q: %w", text, err)
	}
	switch {
	case a.Missing != "":
		return a, fmt.Errorf("%w: %s", errMissing, a.Missing)
	case a.Failed != "":
		return a, errors.New(a.Failed)
	}
	return a, nil
}

// stop ends the process by closing its input.
func (s *process) stop() {
	s.in.Close()
	io.Copy(io.Discard, s.out)
	s.cmd.Wait()
}
