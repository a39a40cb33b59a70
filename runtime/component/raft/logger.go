package raft

import "fmt"

// logger discards messages: engines do not log. Violated invariants of raft panic.
type logger struct{}

func (logger) Debug(...any)            {}
func (logger) Debugf(string, ...any)   {}
func (logger) Error(...any)            {}
func (logger) Errorf(string, ...any)   {}
func (logger) Info(...any)             {}
func (logger) Infof(string, ...any)    {}
func (logger) Warning(...any)          {}
func (logger) Warningf(string, ...any) {}

func (logger) Fatal(v ...any)                 { panic(fmt.Sprint(v...)) }
func (logger) Fatalf(format string, v ...any) { panic(fmt.Sprintf(format, v...)) }
func (logger) Panic(v ...any)                 { panic(fmt.Sprint(v...)) }
func (logger) Panicf(format string, v ...any) { panic(fmt.Sprintf(format, v...)) }
