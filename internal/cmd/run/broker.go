package run

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/internal/project"
)

// natsModule contains the transport through a broker, and the broker.
const natsModule = project.Module + "/runtime/host/nats"

// buildBroker builds the broker for the processes, and returns its file: "" if they need none. It is a program of the
// transport's module, which the peers' module requires, so that bbgen itself does not link it.
func (j *job) buildBroker(tmp string, p *cli.Progress) (file string, err error) {
	if !j.meets() {
		return "", nil
	}
	p.Stage("go build broker")
	bin, err := gobuild.PeersIn(j.dir, tmp, natsModule, "broker")
	if err != nil {
		return "", fmt.Errorf("%w\nrun \"go get -tool %s/broker\" in the module of %s", err, natsModule, j.dir)
	}
	return bin["broker"], nil
}

// startBroker runs a broker, which prints its address and ends with its standard input. Without a file there is none.
func startBroker(file string) (at string, stop func(), err error) {
	if file == "" {
		return "", func() {}, nil
	}
	cmd := exec.Command(file)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", nil, fmt.Errorf("the broker: %w", err)
	}
	stop = func() {
		in.Close()
		io.Copy(io.Discard, out)
		cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the broker does not say where it is: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}
