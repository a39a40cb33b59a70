// Package control contains control flow: If, Loop and Scan. Their regions are inferred here, differentiated
// by package grad and printed by package codegen. It also contains Require, which stops a run with sizes that
// a node does not support.
package control
