package run

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/internal/project"
)

// natsModule contains the transport through a broker, and the broker.
const natsModule = project.Module + "/runtime/host/nats"

// broker starts the broker for the processes, if they need one. It is a program of the transport's module,
// which the peers' module requires, so that bbgen itself does not link it.
func (j *job) broker(tmp string, p *cli.Progress) (at string, stop func(), err error) {
	if !j.meets() {
		return "", func() {}, nil
	}
	p.Stage("go build broker")
	bin, err := gobuild.PeersIn(j.dir, tmp, natsModule, "broker")
	if err != nil {
		return "", nil, fmt.Errorf("%w\nrun \"go get -tool %s/broker\" in the module of %s", err, natsModule, j.dir)
	}
	return startBroker(bin["broker"])
}

// The line in a peer's main with its default network, and those with the available networks.
var (
	defaultNats = regexp.MustCompile(`(?m)^\s*Transport:\s+nats\.New,$`)
	choosesNats = regexp.MustCompile(`(?m)^\s*Hosts:.*"nats": nats\.New`)
)

// meets reports whether processes communicate through a broker.
func (j *job) meets() bool {
	b, err := os.ReadFile(filepath.Join(j.dir, j.classes[0].name, "main.go"))
	return err == nil && (j.host == "" && defaultNats.Match(b) || j.host == "nats" && (defaultNats.Match(b) || choosesNats.Match(b)))
}

// startBroker runs a broker, which prints its address and ends with its standard input.
func startBroker(file string) (string, func(), error) {
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
	stop := func() {
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
