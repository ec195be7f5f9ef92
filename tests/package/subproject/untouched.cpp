// A program of the other project that has nothing to do with Sundial.
int main() {}
