package main

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/remote/server"
	"github.com/bbgen/bbgen/runtime/wire"
)

// memory is the limit of the server.
const memory = 1 << 30

// serve runs a server until in ends. It prints its address. Clients need no invitation: any process of this machine
// may use the server while it runs.
func serve(in io.Reader, out io.Writer) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	s, err := server.New(server.Config{
		Key: key, Listen: []wire.Address{"/ip4/127.0.0.1/tcp/0"}, Memory: memory, ClientMemory: memory,
		Admit: func(wire.PeerID, *wire.Hello) error { return nil },
	})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Fprintln(out, s.Addresses()[0])
	_, err = io.Copy(io.Discard, in)
	return err
}

// process is a server in a process of its own.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	address string
	key     ed25519.PrivateKey // of the client
}

// startServer starts this program as a server.
func startServer(threads int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(self, "-serve", "-threads", strconv.Itoa(threads))}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if _, p.key, err = ed25519.GenerateKey(rand.Reader); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("the server has printed no address: %w", err)
	}
	p.address = strings.TrimSpace(line)
	return p, nil
}

// stop ends the server.
func (p *process) stop() {
	p.in.Close()
	p.cmd.Wait()
}
