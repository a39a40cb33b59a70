package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// pinned returns a program that runs another one with its arguments, on the processors of a rank alone: a script
// in dir. If ranks have no processors of their own, that is the program itself.
func (b *bench) pinned(dir string, rank int, program string) (string, error) {
	if b.cores == 0 {
		return program, nil
	}
	program, err := filepath.Abs(program)
	if err != nil {
		return "", err
	}
	script := filepath.Join(dir, fmt.Sprint("rank", rank))
	// A process that is started meanwhile would inherit the open file, and the script could not be run ("text file busy").
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return script, os.WriteFile(script, []byte(onProcessors(rank*b.cores, b.cores, program)), 0o755)
}

// onProcessors returns a shell script that runs a program on n processors from the given one on.
func onProcessors(first, n int, program string) string {
	quoted := "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	return fmt.Sprintf("#!/bin/sh\nexport GOMAXPROCS=%d\nexec taskset -c %d-%d %s \"$@\"\n", n, first, first+n-1, quoted)
}
