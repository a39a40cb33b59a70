package differ

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// process is a running harness; harness.go.txt describes its input and output.
type process struct {
	cmd       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Reader
	complaint bytes.Buffer
	died      bool
}

// start starts the batch's harness at the level of a stage.
func (b *batch) start(s Stage) (*process, error) {
	cmd := exec.Command(filepath.Join(b.dir, "bin"))
	cmd.Env = os.Environ()
	if s == Portable {
		cmd.Env = append(cmd.Env, "BBGEN_CPU=portable")
	}
	return startProcess(cmd)
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd}
	p.cmd.Stderr = &p.complaint
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

func (p *process) stop() {
	p.in.Close()
	p.cmd.Wait()
}

// check runs program i on all inputs of c, in one session.
func (p *process) check(i int, c *checked, s Stage) (compared int, f *Failure) {
	request := binary.AppendUvarint(nil, uint64(i))
	request = binary.AppendUvarint(request, uint64(len(c.sets)))
	for _, set := range c.sets {
		for _, v := range set.in {
			b := tensorio.AppendTensor(nil, "", v.(*tensor.Tensor))
			request = append(binary.AppendUvarint(request, uint64(len(b))), b...)
		}
	}
	go p.in.Write(request) // fails if the process has died, which its output shows
	for _, set := range c.sets {
		got, err := p.results(len(set.want))
		if f != nil {
			continue // results after a failure are not compared
		}
		if err == nil {
			err = c.judge(s, set, got)
		}
		if err != nil {
			f = &Failure{c.model, s, set.run, err}
			if p.died {
				return compared, f
			}
			continue
		}
		compared++
	}
	return compared, f
}

// results returns n results of a run.
func (p *process) results(n int) ([]tensor.Value, error) {
	b, err := p.next()
	if err != nil {
		return nil, err
	}
	if len(b) > 0 {
		return nil, errors.New(string(b))
	}
	out := make([]tensor.Value, n)
	for i := range out {
		if b, err = p.next(); err != nil {
			return nil, err
		}
		if out[i], _, err = tensorio.DecodeTensor(b); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (p *process) next() ([]byte, error) {
	n, err := binary.ReadUvarint(p.out)
	b := make([]byte, n)
	if err == nil {
		_, err = io.ReadFull(p.out, b)
	}
	if err != nil {
		p.died = true
		p.cmd.Wait()
		line, _, _ := strings.Cut(strings.TrimSpace(p.complaint.String()), "\n")
		return nil, fmt.Errorf("panic: the process died: %s", line)
	}
	return b, nil
}
