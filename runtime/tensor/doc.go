// Package tensor holds element types, tensors whose type and shape are known only at run time, and the
// conversions of small floats. It knows no operator, no file format and no clock.
//
// Generated code works on plain slices. It uses this package for element types without a Go type ([F16], [I4]),
// for shapes that depend on data ([Tensor]), and to divide a buffer into typed slices ([View]).
//
// # Who owns the memory of a tensor
//
// A [Large] value is not copied to pass it on. Its [Memory] may have a reference count, and is used for another value
// when the last reference is released. A [Dense] holds a reference or borrows the memory, and a [Tensor] only borrows
// it. These are the states of a Dense:
//
//	empty     it has no elements; memory of a small value is kept for the next one
//	plain     its elements are in memory without a reference count, and no other tensor has them
//	alias     its elements are in memory without a reference count, and another tensor has them
//	held      it has a reference to the memory of its elements
//	borrowed  the memory has a reference count, and the Dense has no reference
//
// and these are those of a Tensor:
//
//	tensor       the garbage collector frees the memory, which is never used for another value
//	lent tensor  it borrows memory with a reference count: IsLent returns true
//
// A copy of a held Dense is borrowed, and valid until the holder is changed. A held Dense that is moved to another
// address is borrowed, too: then the garbage collector frees the memory.
//
// The table has what calls do if the elements of d are large. The result is d, the copy c, or what the call returns.
// The caller may write to its elements where no other tensor has them, until it shares them. These return the memory:
//
//	Reset      the result, by Reset and other calls that change it
//	holder     another Dense, or the caller who made the memory, by Memory.Release
//	collector  the garbage collector
//
// The last columns are what is added to the reference counts of the memory that d had and of x's memory.
//
//	d is                           call                result is    may write  returns memory  d's  x's
//	-                              DenseOf(x.Data)     alias        nobody     collector       0    0
//	-                              DenseIn(m, x.Data)  borrowed     nobody     holder          0    0
//	-                              NewDense(s)         borrowed     caller     holder          0    0
//	empty, plain, alias, borrowed  d.Reset()           empty        -          -               0    0
//	held                           d.Reset()           empty        -          -               -1   0
//	empty, plain, borrowed         d.Resize(s)         plain        caller     collector       0    0
//	alias                          d.Resize(s)         alias        nobody     collector       0    0
//	held                           d.Resize(s)         plain        caller     collector       -1   0
//	empty, plain, alias, borrowed  d.Make(small s)     plain        caller     collector       0    0
//	held                           d.Make(small s)     plain        caller     collector       -1   0
//	empty, plain, alias, borrowed  d.Make(large s)     held         caller     Reset           0    0
//	held                           d.Make(large s)     held         caller     Reset           -1   0
//	empty, plain, alias, borrowed  d.Set(small x)      plain        caller     collector       0    0
//	held                           d.Set(small x)      plain        caller     collector       -1   0
//	empty, plain, alias, borrowed  d.Set(plain x)      plain        caller     collector       0    0
//	held                           d.Set(plain x)      plain        caller     collector       -1   0
//	empty, plain, alias, borrowed  d.Set(counted x)    held         nobody     Reset           0    +1
//	held                           d.Set(counted x)    held         nobody     Reset           -1   +1
//	held                           d.Set(d)            held         nobody     Reset           0    0
//	borrowed                       d.Set(d)            held         nobody     Reset           +1   0
//	empty, plain, alias, borrowed  d.Share(plain x)    alias        nobody     collector       0    0
//	held                           d.Share(plain x)    alias        nobody     collector       -1   0
//	empty, plain, alias, borrowed  d.Share(counted x)  held         nobody     Reset           0    +1
//	held                           d.Share(counted x)  held         nobody     Reset           -1   +1
//	plain, alias                   c := d              alias        nobody     collector       0    0
//	held, borrowed                 c := d              borrowed     nobody     holder          0    0
//	plain, alias, held, borrowed   d.Clone()           plain        caller     collector       0    0
//	plain, alias                   d.Lend()            tensor       nobody     collector       0    0
//	held, borrowed                 d.Lend()            lent tensor  nobody     holder          0    0
//	plain, alias                   d.Tensor()          tensor       nobody     collector       0    0
//	held, borrowed                 d.Tensor()          tensor       nobody     collector       +1   0
//	plain, alias                   Lent(d.Lend())      alias        nobody     collector       0    0
//	held, borrowed                 Lent(d.Lend())      borrowed     nobody     holder          0    0
//
// An alias of a small value must not be changed, as it would use the memory for its next value: copy small values with
// [Dense.Set].
package tensor
